import { IconAlertTriangle, IconArrowRight } from '@tabler/icons-react';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatDate } from '@/lib/thai-date';
import layout from '@/ui/layout.module.css';
import classes from './move.module.css';
import { MoveRow, MoveRows, useRows, When } from './move-lists';
import { ChangeTime, type Planning } from './move-time';

/** The proposed moves; another time can be chosen for each. */
export function MoveTable({ closureId, plan, people, disabled, onPlan }: Planning) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.schedule.move;
  const { rows, more } = useRows(plan.moves);
  return (
    <>
      <MoveRows>
        {rows.map(({ appointmentId, to, chosen, was }) => {
          const appointment = people.get(appointmentId);
          if (!appointment) return null;
          return (
            <MoveRow key={appointmentId} appointment={appointment} changed={was !== undefined}>
              <div className={classes.to}>
                <span>
                  <IconArrowRight size={13} className={layout.mirrored} aria-hidden /> <When at={to} />
                  {chosen && <span className={classes.small}> {words.chosen}</span>}
                  {was && (
                    <span className={classes.was}>
                      <IconAlertTriangle size={12} aria-hidden />{' '}
                      {words.replanned(`${formatDate(was.date, language)} ${was.startTime}`)}
                    </span>
                  )}
                </span>
                <ChangeTime
                  closureId={closureId}
                  plan={plan}
                  people={people}
                  appointment={appointment}
                  label={words.change}
                  name={words.changeOf(fullName(appointment.patient))}
                  disabled={disabled}
                  onPlan={onPlan}
                />
              </div>
            </MoveRow>
          );
        })}
      </MoveRows>
      {more}
    </>
  );
}
