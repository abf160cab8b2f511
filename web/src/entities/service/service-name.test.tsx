import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { PermissionsProvider, permissionsQuery } from '@/entities/session/session';
import { en } from '@/i18n/en';
import type { Language } from '@/i18n/language';
import { I18nProvider } from '@/i18n/provider';
import { th } from '@/i18n/th';
import { answerWith, success } from '@/test/server';
import { useServiceName } from './service-name';

const SERVICES = [
  { id: 3, name: 'อายุรกรรม', nameEn: 'General medicine' },
  { id: 4, name: 'ทันตกรรม', nameEn: '' },
];

afterEach(() => vi.unstubAllGlobals());

function Names() {
  const nameOf = useServiceName();
  return (
    <p>{[...SERVICES, { id: 99, name: 'เลิกแล้ว' }].map(({ id, name }) => nameOf({ id, name })).join(' / ')}</p>
  );
}

function show(language: Language, held: Permission[]) {
  const requests = answerWith(success(SERVICES));
  const client = new QueryClient();
  client.setQueryData(permissionsQuery.queryKey, held);
  render(
    <QueryClientProvider client={client}>
      <I18nProvider initial={{ language, t: language === 'en' ? en : th }}>
        <MantineProvider env="test">
          <PermissionsProvider>
            <Names />
          </PermissionsProvider>
        </MantineProvider>
      </I18nProvider>
    </QueryClientProvider>,
  );
  return requests;
}

const THAI = 'อายุรกรรม / ทันตกรรม / เลิกแล้ว';

test('in English a service has its English name, and its Thai one where there is none', async () => {
  const requests = show('en', ['APPOINTMENT.SHOW']);
  expect(await screen.findByText('General medicine / ทันตกรรม / เลิกแล้ว')).toBeVisible();
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/admin/api/v1/service-config/list']);
});

test('fetches nothing in Thai', () => {
  expect(show('th', ['APPOINTMENT.SHOW'])).toEqual([]);
  expect(screen.getByText(THAI)).toBeVisible();
});

test('a user who may not read services gets the Thai name without a request', () => {
  expect(show('en', ['PATIENT.SHOW'])).toEqual([]);
  expect(screen.getByText(THAI)).toBeVisible();
});
