import { UnstyledButton } from '@mantine/core';
import { useScrollSpy } from '@mantine/hooks';
import { IconAlertCircle } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import classes from './form.module.css';
import { sectionId } from './form-section';
import { SECTIONS, type SectionName, sectionOf } from './patient-facts';

/** Links to the sections of the form, with the number of errors in each. */
export function SectionNav({ errors }: { errors: Record<string, unknown> }) {
  const t = useT();
  const { active } = useScrollSpy({ selector: '[data-section]', getDepth: () => 1, offset: 120 });
  const faults = Object.keys(errors)
    .filter((path) => errors[path])
    .map(sectionOf);
  const goTo = (name: SectionName) => {
    const section = document.getElementById(sectionId(name));
    section?.scrollIntoView({ block: 'start' });
    section?.focus({ preventScroll: true });
  };
  return (
    <nav className={classes.nav} aria-label={t.patient.sections}>
      <ul>
        {SECTIONS.map((name, index) => {
          const count = faults.filter((section) => section === name).length;
          return (
            <li key={name}>
              <UnstyledButton
                className={classes.navLink}
                aria-current={active === index ? 'true' : undefined}
                onClick={() => goTo(name)}
              >
                {t.patient.section[name]}
                {count > 0 && (
                  <span className={classes.navFaults}>
                    <IconAlertCircle size={14} aria-hidden /> {t.patient.toFix(count)}
                  </span>
                )}
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
