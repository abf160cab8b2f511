import { dayFromNow, test, thaiDay } from './appointment-support';
import { dashed, field, masked, open, PERSON, uniqueIdCard } from './patient-support';
import { expect } from './support';

test('two users change one record: shows both values and saves the chosen ones', async ({
  page,
  signInAs,
  registration,
}) => {
  test.slow();
  const patient = await registration.register(PERSON);
  await open(page, signInAs, 'registrar', `/app/patient-management/${patient.id}/edit`);
  await field(page, 'อาชีพ').fill('ครู');
  const other = await page.context().newPage();
  await other.goto(`/app/patient-management/${patient.id}/edit`);
  await field(other, 'อาชีพ').fill('พยาบาล');
  await field(other, 'ศาสนา').fill('พุทธ');
  await other.getByRole('button', { name: 'บันทึก', exact: true }).click();
  await expect(other.getByText(/^บันทึกข้อมูลของ/)).toBeVisible();
  await page.getByRole('button', { name: 'บันทึก', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(dialog.getByRole('radiogroup', { name: 'อาชีพ' })).toContainText('พยาบาล');
  await expect(dialog.getByRole('radiogroup')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(page.getByText(/^บันทึกข้อมูลของ/)).toBeVisible();
  await page.reload();
  await expect(field(page, 'อาชีพ')).toHaveValue('ครู');
  await expect(field(page, 'ศาสนา')).toHaveValue('พุทธ');
});

test('saves allergies, conditions and consent and shows them in the summary', async ({
  page,
  signInAs,
  registration,
}) => {
  const patient = await registration.register(PERSON);
  await open(page, signInAs, 'registrar', `/app/patient-management/${patient.id}/edit`);
  await expect(page.getByText('ยังไม่ได้บันทึกประวัติแพ้')).toBeVisible();
  await page.getByRole('button', { name: 'เพิ่มรายการแพ้' }).click();
  await page.keyboard.type('เพนิซิลลิน');
  await page.getByLabel('ความรุนแรง').selectOption('รุนแรง');
  await page.getByRole('button', { name: 'ให้ความยินยอมวันนี้' }).click();
  await page.getByRole('button', { name: 'บันทึก', exact: true }).click();
  await expect(page.getByText('แพ้ เพนิซิลลิน (รุนแรง)')).toBeVisible();
  await expect(page.getByRole('button', { name: 'ให้ความยินยอมวันนี้' })).toBeDisabled();
  await page.getByRole('tab', { name: 'ประวัตินัดหมายและผลการตรวจ' }).click();
  await expect(page.getByText('ยังไม่มีนัดหมายหรือผลการตรวจ')).toBeVisible();
  await expect(page.getByRole('link', { name: 'นัดหมาย', exact: true }).last()).toHaveAttribute(
    'href',
    `/app/appointment/create?patientId=${patient.id}`,
  );
});

test('lists a patient’s appointments in order, with links and live updates', async ({
  page,
  signInAs,
  registration,
  clinic,
}) => {
  const patient = await registration.register(PERSON);
  const service = await clinic.addService();
  const [first, second] = [dayFromNow(1), dayFromNow(2)];
  await clinic.book(patient, service, first, '08:00');
  const later = await clinic.book(patient, service, second, '09:00');
  await open(page, signInAs, 'registrar', `/app/patient-management/${patient.id}/edit`);
  await page.getByRole('tab', { name: 'ประวัตินัดหมายและผลการตรวจ' }).click();
  const entries = page.getByRole('list', { name: 'ประวัตินัดหมายและผลการตรวจ' }).getByRole('listitem');
  await expect(entries).toHaveCount(2);
  await expect(entries.first()).toContainText(`${thaiDay(second)} 09:00 น.${service.name}นัดแล้ว`);
  await expect(entries.last()).toContainText(thaiDay(first));
  await clinic.mark(later.id, 'CONFIRMED');
  await expect(entries.first()).toContainText('ผู้ป่วยยืนยันแล้ว');
  await entries.first().getByRole('link').click();
  await expect(page).toHaveURL(`/app/appointment/${later.id}/edit`);
});

test('reveals the ID card, and deletes a patient, with a reason', async ({
  page,
  signInAs,
  registration,
}) => {
  const card = uniqueIdCard();
  const patient = await registration.register({ ...PERSON, idCard: card });
  await open(page, signInAs, 'registrar', `/app/patient-management/${patient.id}/edit`);
  const grouped = dashed(card);
  await expect(page.getByText(`เลขบัตร ${grouped.slice(0, 7)}xxxxx${grouped.slice(12)}`)).toBeVisible();
  await page.getByRole('button', { name: 'แสดงเลขบัตร' }).click();
  const reveal = page.getByRole('dialog');
  await reveal.getByRole('button', { name: 'แสดงเลขบัตร' }).click();
  await expect(reveal.getByText('กรุณากรอกข้อมูล')).toBeVisible();
  await reveal.getByLabel('เหตุผล').fill('ตรวจสอบสิทธิ');
  await reveal.getByRole('button', { name: 'แสดงเลขบัตร' }).click();
  await expect(page.getByText(`เลขบัตร ${grouped}`)).toBeVisible();

  await page.getByRole('button', { name: /^จัดการข้อมูลของ/ }).click();
  await page.getByRole('menuitem', { name: 'ลบผู้ป่วย' }).click();
  const remove = page.getByRole('dialog', { name: `ลบข้อมูลของ นาย${patient.firstName} ใจดี` });
  await remove.getByLabel('เหตุผล').fill('ลงทะเบียนผิดคน');
  await remove.getByRole('button', { name: 'ลบผู้ป่วย' }).click();
  await expect(page).toHaveURL(/\/app\/patient-management$/);
  expect(await registration.statusOf(patient.id)).toBe(404);
});

test('changes the ID card number without revealing the old one', async ({ page, signInAs, registration }) => {
  const [card, next] = [uniqueIdCard(), uniqueIdCard()];
  const patient = await registration.register({ ...PERSON, idCard: card });
  const answers: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/patients/'))
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      );
  });
  await open(page, signInAs, 'registrar', `/app/patient-management/${patient.id}/edit`);
  const number = field(page, 'เลขประจำตัวประชาชน');
  await expect(number).toHaveValue(masked(card));
  await page.getByRole('button', { name: 'เปลี่ยนเลข' }).click();
  await expect(number).toHaveValue('');
  await expect(number).toBeFocused();
  await number.fill(next);
  await page.getByRole('button', { name: 'บันทึก', exact: true }).click();
  await expect(number).toHaveValue(masked(next));
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.filter((text) => text.includes(card) || text.includes(next))).toEqual([]);
});

test('a read-only user sees the patient without the full ID card', async ({
  page,
  signInAs,
  registration,
}) => {
  const card = uniqueIdCard();
  const patient = await registration.register({ ...PERSON, idCard: card, occupation: 'ชาวนา' });
  await open(page, signInAs, 'doctor', `/app/patient-management/${patient.id}/edit`);
  await expect(page.getByText('ท่านดูข้อมูลนี้ได้ แต่ไม่มีสิทธิ์แก้ไข')).toBeVisible();
  await expect(page.getByText('ชาวนา')).toBeVisible();
  await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'แสดงเลขบัตร' })).toHaveCount(0);
  await expect(page.getByRole('main')).toContainText('-xxxxx-');
  await expect(page.getByRole('main')).not.toContainText(card.slice(5, 10));
});
