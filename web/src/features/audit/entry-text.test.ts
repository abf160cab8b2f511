import { expect, test } from 'vitest';
import { th } from '@/i18n/th';
import type { AuditEntry } from './api';
import { filtersText } from './entry-text';

const words = { t: th, language: 'th' as const, permission: (name: string) => name, role: () => undefined };
const NOTHING = { entity: '', entityId: '', action: '' };

test('a printed log shows its filters', () => {
  expect(filtersText(words, NOTHING, undefined)).toBe('');
  const entry = { actorId: 3, actorName: 'กมลชนก ศรีสวัสดิ์' } as AuditEntry;
  const search = {
    ...NOTHING,
    actor: 3,
    entity: 'customer',
    entityId: '12',
    outcome: 'REFUSED' as const,
    from: '2026-11-15',
    to: '2026-11-16',
  };
  expect(filtersText(words, search, entry)).toBe('กมลชนก ศรีสวัสดิ์ · ผู้ใช้บริการ 12 · ถูกปฏิเสธ · 15–16 พ.ย. 2569');
  expect(filtersText(words, { ...NOTHING, from: '2026-11-15' }, undefined)).toBe(
    `${th.date.from} 15 พ.ย. 2569`,
  );
});
