import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hospital, startHospital } from './hospital';
import { field, NEW, open, uniqueIdCard } from './patient-support';
import { expect, logIn, movePointerAway, test } from './support';

test.describe('with a card reader', () => {
  // The browser logs the refused connection by itself.
  test.use({ allowBrowserErrors: true });

  let agent: Server;
  let answer: () => { status: number; body: unknown };
  let hospital: Hospital;

  test.beforeAll(async () => {
    agent = createServer((_, response) => {
      const { status, body } = answer();
      response.writeHead(status, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' });
      response.end(JSON.stringify(body));
    });
    const agentPort = await listen(agent);
    hospital = await startHospital({ NADMOR_CARD_READER_URL: `http://127.0.0.1:${agentPort}/card` });
  });
  test.afterAll(async () => {
    await hospital.stop();
    agent.close();
  });

  test('fills in the card’s data, confirms before replacing, and shows errors', async ({
    page,
    context,
    playwright,
  }) => {
    const base = hospital.url;
    const request = await playwright.request.newContext({ baseURL: base });
    const { accessToken, smqAccessToken } = await logIn(request, 'registrar');
    await context.addCookies([
      { name: 'access_token', value: accessToken, url: base },
      { name: 'smq_access_token', value: smqAccessToken, url: base },
    ]);
    const card = uniqueIdCard();
    const read = {
      pid: card,
      title: 'นาย',
      firstName: 'สมชาย',
      lastName: 'ใจดี',
      birthDate: '25310209',
      address: '99/1 หมู่ที่ 4 ตำบลสุเทพ อำเภอเมืองเชียงใหม่ จังหวัดเชียงใหม่',
    };
    await page.goto(`${base}${NEW}`);
    const readCard = async () => {
      await movePointerAway(page);
      await page.getByRole('button', { name: 'อ่านบัตร' }).click();
    };
    answer = () => ({ status: 404, body: { error: 'NO_CARD' } });
    await readCard();
    await expect(page.getByText(/^ไม่พบบัตรในเครื่องอ่าน/)).toBeVisible();
    answer = () => ({ status: 200, body: { hello: 'world' } });
    await readCard();
    await expect(page.getByText(/^อ่านข้อมูลจากบัตรไม่สำเร็จ/)).toBeVisible();

    await field(page, 'ชื่อ').fill('สมชาติ');
    answer = () => ({ status: 200, body: read });
    await readCard();
    const dialog = page.getByRole('dialog', { name: 'ข้อมูลในบัตรต่างจากที่กรอกไว้' });
    await expect(dialog.getByRole('row', { name: /ชื่อ สมชาติ สมชาย/ })).toBeVisible();
    await dialog.getByRole('button', { name: 'เติมเฉพาะช่องที่ว่าง' }).click();
    await expect(field(page, 'ชื่อ')).toHaveValue('สมชาติ');
    await expect(field(page, 'นามสกุล')).toHaveValue('ใจดี');
    await expect(field(page, 'วันเกิด')).toHaveValue('09/02/2531');
    await expect(field(page, 'หมู่ที่')).toHaveValue('4');
    await expect(field(page, 'รหัสไปรษณีย์')).toHaveValue('50200');
    await expect(page.getByText('จากบัตร').first()).toBeVisible();

    agent.closeAllConnections();
    await new Promise((resolve) => agent.close(resolve));
    await readCard();
    await expect(page.getByText(/^ติดต่อโปรแกรมอ่านบัตรในเครื่องนี้ไม่ได้/)).toBeVisible();
    await expect(field(page, 'นามสกุล')).toHaveValue('ใจดี');
    await request.dispose();
  });
});

test('has no card button without a card reader', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  await expect(field(page, 'เลขประจำตัวประชาชน')).toBeVisible();
  await expect(page.getByRole('button', { name: 'อ่านบัตร' })).toHaveCount(0);
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
