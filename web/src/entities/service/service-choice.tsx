import { Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type Ref, useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { ChoiceChips, type ChoiceChipsHandle } from '@/ui/choice-chips';
import type { Service } from './api';
import { serviceName } from './service-name';

/** More services than this can be filtered. */
const FEW = 10;

interface ServiceChoiceProps {
  services: Service[];
  value: number;
  onChange: (id: number) => void;
  ref?: Ref<ChoiceChipsHandle>;
}

/** The services as compact choices, with a filter if there are many. */
export function ServiceChoice({ services, value, onChange, ref }: ServiceChoiceProps) {
  const t = useT();
  const { language } = useLanguage();
  const [text, setText] = useState('');
  const searchText = text.trim().toLowerCase();
  const matches = ({ id, code, name, nameEn, department }: Service) =>
    id === value || `${code} ${name} ${nameEn} ${department}`.toLowerCase().includes(searchText);
  const shown = searchText === '' ? services : services.filter(matches);
  return (
    <>
      {services.length > FEW && (
        <TextInput
          aria-label={t.appointment.findService}
          placeholder={t.appointment.findService}
          leftSection={<IconSearch size={16} aria-hidden />}
          mb="xs"
          maw={320}
          maxLength={60}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Enter chooses the first match instead of submitting the form.
            event.preventDefault();
            const first = shown.find(({ id }) => id !== value) ?? shown[0];
            if (searchText !== '' && first) onChange(first.id);
          }}
        />
      )}
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.appointment.noService}
        </Text>
      ) : (
        <ChoiceChips
          ref={ref}
          label={t.appointment.service}
          name="service"
          layout="services"
          value={String(value)}
          onChange={(id) => onChange(Number(id))}
          choices={shown.map((service) => {
            const name = serviceName(service, language);
            return {
              value: String(service.id),
              label: name,
              note: service.location || service.department,
              title: [name, service.department, service.location].filter(Boolean).join(' · '),
              colour: service.color,
            };
          })}
        />
      )}
    </>
  );
}
