import { describe, expect, test } from 'vitest';
import { en } from '@/i18n/en';
import { th } from '@/i18n/th';
import { actorName } from '@/lib/actor-name';
import type { AuditEntry } from './api';
import { changesOf, valueText } from './changes';
import { type Names, reasonOf, sentence } from './entry-text';

const NAMES: Record<string, string> = {
  'USER.SHOW': 'ดูผู้ใช้งาน',
  'ROLE.SHOW': 'ดูบทบาท',
  'AUDIT.SHOW': 'ดูบันทึก',
};

const words: Names = {
  t: th,
  language: 'th',
  permission: (name) => NAMES[name] ?? name,
  role: (id) => (id === 3 ? 'พยาบาล' : undefined),
};
const english: Names = { ...words, t: en, language: 'en' };

const entry = (part: Partial<AuditEntry>): AuditEntry => ({
  id: 1,
  at: '2026-11-15T02:30:00Z',
  actorId: 1,
  actorName: 'ผู้ดูแลระบบ',
  addr: '127.0.0.1',
  requestId: 'r1',
  action: 'user.update',
  entity: 'user',
  entityId: '5',
  subject: 'สมชาย เกียรติขจร',
  outcome: 'OK',
  changes: {},
  reason: '',
  ...part,
});

describe('a value as text', () => {
  test.each([
    ['user', 'status', 'SUSPENDED', 'ระงับ'],
    ['user', 'status', 'SOMETHING', 'SOMETHING'],
    ['user', 'mustChangePassword', true, 'ใช่'],
    ['user', 'totpEnabled', false, 'ไม่ใช่'],
    ['user', 'role', { id: 3, name: 'NURSE', label: 'พยาบาล' }, 'พยาบาล'],
    ['user', 'roleId', 3, 'พยาบาล'],
    ['user', 'roleId', 99, 'หมายเลข 99'],
    ['user', 'password', '•••', '(ไม่แสดง)'],
    ['user', 'lastLoginAt', '2026-11-15T02:30:00Z', '15 พ.ย. 2569 09:30 น.'],
    ['user', 'lastLoginAt', '2026-11-15T02:30:00.123456+00:00', '15 พ.ย. 2569 09:30 น.'],
    ['patient', 'birthDate', '1988-02-09', '9 ก.พ. 2531'],
    ['patient', 'note', '2026-13-45', '2026-13-45'],
    ['role', 'permissions', 'USER.SHOW', 'ดูผู้ใช้งาน'],
    ['role', 'permissions', 'NEW.ONE', 'NEW.ONE'],
    ['setting', 'sessionHours', 1200, '1,200'],
    ['user', 'phone', '', ''],
    ['user', 'phone', null, ''],
    ['user', 'serviceIds', [1, 2], 'หมายเลข 1, หมายเลข 2'],
    [
      'patient',
      'allergies',
      { substance: 'Penicillin', severity: 'SEVERE', reaction: '' },
      'ยาหรือสารที่แพ้ Penicillin, ความรุนแรง รุนแรง',
    ],
    ['patient', 'sex', 'F', 'หญิง'],
    ['patient', 'rightCode', 'SSS', 'ประกันสังคม'],
    ['customer', 'status', 'SUSPENDED', 'ระงับ'],
    [
      'customer',
      'patients',
      { patientId: 4, relation: 'CHILD', hn: '4', name: 'เด็กหญิงใจดี' },
      'เด็กหญิงใจดี (บุตร)',
    ],
    ['unknown', 'thing', { some: 'value', none: '' }, 'some value'],
  ])('%s.%s %j is %s', (entity, field, value, text) => {
    expect(valueText(entity, field, value, words)).toBe(text);
  });

  test.each([
    ['user', 'status', 'ACTIVE', 'Active'],
    ['user', 'lastLoginAt', '2026-11-15T02:30:00Z', '15 Nov 2026 09:30'],
    ['user', 'totpEnabled', true, 'Yes'],
  ])('in English %s.%s %j is %s', (entity, field, value, text) => {
    expect(valueText(entity, field, value, english)).toBe(text);
  });
});

describe('what changed', () => {
  test('fields have names and the order of their form', () => {
    const changes = changesOf(
      entry({
        changes: {
          zzz: { after: 'x' },
          status: { before: 'ACTIVE', after: 'SUSPENDED' },
          role: {
            before: { id: 2, name: 'QUEUE', label: 'จุดบริการคิว' },
            after: { id: 3, name: 'NURSE', label: 'พยาบาล' },
          },
          roleId: { before: 2, after: 3 },
          name: { before: 'สมชาย', after: 'สมชาย เกียรติขจร' },
        },
      }),
      words,
    );
    expect(changes).toEqual([
      { key: 'name', label: 'ชื่อ-นามสกุล', kind: 'value', before: 'สมชาย', after: 'สมชาย เกียรติขจร' },
      { key: 'role', label: 'บทบาท', kind: 'value', before: 'จุดบริการคิว', after: 'พยาบาล' },
      { key: 'status', label: 'สถานะ', kind: 'value', before: 'ใช้งาน', after: 'ระงับ' },
      { key: 'zzz', label: 'zzz', kind: 'value', before: '', after: 'x' },
    ]);
  });

  test('the same field of another record has another name', () => {
    const [change] = changesOf(entry({ entity: 'role', changes: { name: { after: 'WARD' } } }), words);
    expect(change?.label).toBe('รหัสบทบาท');
  });

  test.each(Object.entries(th.audit.fields))('the fields of %s have names', (kind, names) => {
    // The slots of a service are changed and logged as part of the service.
    const entity = kind === 'slot' ? 'service' : kind;
    const changes = Object.fromEntries(Object.keys(names).map((field) => [field, { after: 'x' }]));
    const labels = changesOf(entry({ entity, changes }), words).map(({ label }) => label);
    expect(new Set(labels)).toEqual(new Set(Object.values(names)));
  });

  test('a list shows added and removed items', () => {
    const changes = changesOf(
      entry({
        entity: 'role',
        changes: { permissions: { before: ['USER.SHOW', 'ROLE.SHOW'], after: ['ROLE.SHOW', 'AUDIT.SHOW'] } },
      }),
      words,
    );
    expect(changes).toEqual([
      { key: 'permissions', label: 'สิทธิ์', kind: 'list', added: ['ดูบันทึก'], removed: ['ดูผู้ใช้งาน'] },
    ]);
  });

  test.each([
    ['a new list', undefined, ['USER.SHOW'], ['ดูผู้ใช้งาน'], []],
    ['a list that went', ['USER.SHOW'], undefined, [], ['ดูผู้ใช้งาน']],
  ])('%s', (_, before, after, added, removed) => {
    const [change] = changesOf(entry({ entity: 'role', changes: { permissions: { before, after } } }), words);
    expect(change).toMatchObject({ kind: 'list', added, removed });
  });

  test('a reordered list shows both orders', () => {
    const [change] = changesOf(entry({ changes: { serviceIds: { before: [1, 2], after: [2, 1] } } }), words);
    expect(change).toMatchObject({
      kind: 'value',
      before: 'หมายเลข 1, หมายเลข 2',
      after: 'หมายเลข 2, หมายเลข 1',
    });
  });

  test('a nested object shows only its changes', () => {
    const changes = changesOf(
      entry({
        entity: 'patient',
        changes: {
          address: {
            before: { province: 'ระยอง', postalCode: '21000' },
            after: { province: 'ระยอง', postalCode: '21110' },
          },
        },
      }),
      words,
    );
    expect(changes).toEqual([
      {
        key: 'address.postalCode',
        label: 'ที่อยู่ › รหัสไปรษณีย์',
        kind: 'value',
        before: '21000',
        after: '21110',
      },
    ]);
  });
});

describe('an entry as a sentence', () => {
  test.each([
    [{}, 'แก้ไขผู้ใช้งาน สมชาย เกียรติขจร'],
    [{ action: 'auth.login', subject: 'ผู้ดูแลระบบ' }, 'เข้าสู่ระบบ'],
    [{ action: 'auth.login', subject: 'สมชาย', actorName: '' }, 'เข้าสู่ระบบ สมชาย'],
    [{ action: 'role.create', entity: 'role', subject: 'ห้องบัตร' }, 'เพิ่มบทบาท ห้องบัตร'],
    [
      {
        action: 'access.refused',
        entity: 'operation',
        entityId: 'post-role-update',
        subject: 'Change a role',
      },
      'ไม่มีสิทธิ์ แก้ไขบทบาท',
    ],
    [
      {
        action: 'access.refused',
        entity: 'operation',
        entityId: 'post-new-thing',
        subject: 'Do a new thing',
      },
      'ไม่มีสิทธิ์ Do a new thing',
    ],
    [{ action: 'new.thing', subject: 'x' }, 'new.thing x'],
    [{ action: 'toString', subject: '' }, 'toString'],
  ])('%j', (part, text) => expect(sentence(th, entry(part))).toBe(text));

  test('the actor may be the server or unknown', () => {
    expect(actorName(th, entry({}))).toBe('ผู้ดูแลระบบ');
    expect(actorName(th, entry({ actorId: null, actorName: 'system' }))).toBe('ระบบ');
    expect(actorName(th, entry({ actorId: null, actorName: '' }))).toBe('ไม่ทราบผู้ใช้งาน');
    expect(actorName(th, entry({ actorId: 9, actorName: '' }))).toBe('ผู้ใช้งานหมายเลข 9');
  });

  test('the reason of a failure', () => {
    expect(reasonOf(words, entry({}))).toBeNull();
    expect(reasonOf(words, entry({ action: 'auth.login', reason: 'ACCOUNT_SUSPENDED' }))).toEqual({
      label: 'เหตุผล',
      text: 'บัญชีถูกระงับ',
    });
    expect(reasonOf(words, entry({ action: 'access.refused', reason: 'USER.SHOW|ROLE.SHOW' }))).toEqual({
      label: 'สิทธิ์ที่ต้องมี',
      text: 'ดูผู้ใช้งาน หรือ ดูบทบาท',
    });
  });
});
