import { expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { historyChanges, type Names } from './history';

test('shows the history as text with Buddhist Era dates', () => {
  const names: Names = { t: th, language: 'th', service: () => 'อายุรกรรม', staff: () => 'นพ.สมชาย' };
  const entry = { id: 1, reason: '', actorId: 1, actor: 'สมศรี', at: '2026-11-15T02:00:00Z' };
  const changes = historyChanges(names, {
    ...entry,
    action: 'RESCHEDULE',
    from: { date: '2026-11-16', startTime: '09:00', version: 1, endTime: '09:30' },
    to: { date: '2026-11-17', startTime: '10:00', version: 2, endTime: '10:30', staffId: 4 },
  });
  expect(changes).toEqual([
    { key: 'date', label: 'วันที่นัด', kind: 'value', before: '16 พ.ย. 2569', after: '17 พ.ย. 2569' },
    { key: 'startTime', label: 'เวลา', kind: 'value', before: '09:00 น.', after: '10:00 น.' },
    { key: 'staffId', label: 'ผู้ให้บริการ', kind: 'value', before: '', after: 'นพ.สมชาย' },
  ]);
});
