import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { dayFromNow, test } from './appointment-support';
import { expect, expectNoViolations, pressUntil, requestsTo } from './support';

const MB = 1024 * 1024;

/** A PDF of about this size in bytes, as from a scanner. */
function aPdf(size = 600): Buffer {
  const head = '%PDF-1.4\n';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>',
  ].map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`);
  const filler = '% filler of the file\n'.repeat(Math.max(0, Math.ceil((size - 400) / 21)));
  const body = head + objects.join('') + filler;
  const offsets = objects.map((_, index) => head.length + objects.slice(0, index).join('').length);
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${body}xref\n0 4\n0000000000 65535 f \n${table}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
  );
}

/** A photo in landscape with the EXIF orientation of a portrait. */
async function turnedPhoto(page: Page): Promise<Buffer> {
  const plain = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [80, 40];
    const paint = canvas.getContext('2d');
    if (paint) {
      paint.fillStyle = 'red';
      paint.fillRect(0, 0, 40, 40);
    }
    return canvas.toDataURL('image/jpeg').split(',')[1] ?? '';
  });
  const jpeg = Buffer.from(plain, 'base64');
  const orientation = Buffer.from(
    ['4d4d002a', '00000008', '0001', '0112', '0003', '00000001', '00060000', '00000000'].join(''),
    'hex',
  );
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), orientation]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(exif.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), size, exif, jpeg.subarray(2)]);
}

const chooser = (page: Page): Locator => page.locator('input[type=file]:not([capture])');
const save = (page: Page) => page.getByRole('button', { name: 'บันทึกผล', exact: true });
const recorded = (page: Page) => page.getByRole('list', { name: 'ผลที่บันทึกในนัดนี้' });

/** A proxy between the browser and the server that can be cut. */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const ends = new Set<Socket>();
  let broken = false;
  const server = createServer((near) => {
    if (broken) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const end of [near, far]) {
      ends.add(end);
      end.on('error', () => {}).on('close', () => ends.delete(end));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const cut = () => {
    broken = true;
    for (const end of ends) end.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      broken = false;
    },
    remove: () => {
      server.close();
      cut();
    },
  };
}

let path: string;

test.beforeEach(async ({ signInAs, clinic, registration }) => {
  const visit = await clinic.book(
    await registration.register(),
    await clinic.addService(),
    dayFromNow(1),
    '09:00',
  );
  path = `/app/appointment/${visit.id}/diagnosisResults`;
  await signInAs('doctor');
});

test('records a diagnosis with codes, books a follow-up, and deletes it with a reason', async ({ page }) => {
  await page.goto(path);
  await save(page).click();
  await expect(page.getByText('กรุณากรอกคำวินิจฉัย หรือแนบไฟล์')).toBeVisible();
  await page.getByRole('textbox', { name: 'คำวินิจฉัย' }).fill('เบาหวานชนิดที่ 2');
  const codes = page.getByRole('combobox', { name: 'รหัส ICD-10' });
  await codes.fill('ความดันโลหิตสูง');
  await page.getByRole('option', { name: /^I10/ }).click();
  await codes.fill('e119');
  await codes.press('Enter');
  await codes.fill('หวัด');
  await codes.press('Enter');
  await expect(page.getByText('“หวัด” ไม่ใช่รหัส ICD-10')).toBeVisible();
  await codes.press('Backspace');
  await expect(page.getByText('“หวัด” ไม่ใช่รหัส ICD-10')).toBeHidden();
  await page.getByRole('button', { name: 'นัดติดตามอีก 4 สัปดาห์' }).click();
  const dialog = page.getByRole('dialog', { name: 'จองนัดติดตาม' });
  await dialog.getByRole('button', { name: 'จองนัดติดตาม' }).click();
  await expect(page.getByText(/^จองนัดติดตาม A\d+-\d+ แล้ว/)).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'วันที่นัดติดตาม' })).toHaveValue(/\/25\d\d$/);
  await expectNoViolations(page, 'the form with a follow-up');
  await save(page).click();
  const item = recorded(page).getByRole('listitem');
  await expect(item).toContainText('I10 · E11.9');
  await expect(item).toContainText('นัดติดตาม');
  await expect(page.getByRole('textbox', { name: 'คำวินิจฉัย' })).toHaveValue('');
  await item.getByRole('button', { name: /^ลบ/ }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('บันทึกผิดคน');
  await page.getByRole('dialog').getByRole('button', { name: 'ลบ', exact: true }).click();
  await expect(page.getByText('ยังไม่มีผลการตรวจในนัดนี้')).toBeVisible();
});

test('retries a failed search for the follow-up without saving the result', async ({ page }) => {
  await page.goto(path);
  await page.getByRole('textbox', { name: 'คำวินิจฉัย' }).fill('เบาหวาน');
  const saved = requestsTo(page, '/appointment-results/create');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'นัดติดตามอีก 4 สัปดาห์' }).click();
  const retry = page.getByRole('alert').getByRole('button', { name: 'ลองอีกครั้ง' });
  await expect(retry).toBeVisible();
  await page.context().setOffline(false);
  await retry.click();
  await expect(page.getByRole('dialog', { name: 'จองนัดติดตาม' })).toBeVisible();
  expect(saved).toEqual([]);
});

test('files: a Thai name, a rotated photo, and a program named .pdf', async ({ page }) => {
  await page.goto(path);
  const name = 'ผลเลือด 15 พ.ย. 2569.pdf';
  await chooser(page).setInputFiles({ name, mimeType: 'application/pdf', buffer: aPdf() });
  await save(page).click();
  const item = recorded(page).getByRole('listitem').first();
  await expect(item).toContainText(name);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    item.getByRole('button', { name: `ดาวน์โหลด ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(name);

  const photo = await turnedPhoto(page);
  await chooser(page).setInputFiles({ name: 'แผล.jpg', mimeType: 'image/jpeg', buffer: photo });
  const upright = (picture: Locator) =>
    expect
      .poll(() => picture.evaluate((node: HTMLImageElement) => [node.naturalWidth, node.naturalHeight]))
      .toEqual([40, 80]);
  await upright(page.getByRole('img', { name: 'ตัวอย่างไฟล์ แผล.jpg' }));
  const shown = page.getByRole('button', { name: 'ดูไฟล์ แผล.jpg' });
  await pressUntil(save(page), shown);
  await shown.click();
  await upright(page.getByRole('dialog').getByRole('img', { name: 'ตัวอย่างไฟล์ แผล.jpg' }));
  await page.keyboard.press('Escape');

  const program = Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(4000)]);
  await chooser(page).setInputFiles({ name: 'ผล.pdf', mimeType: 'application/pdf', buffer: program });
  const refusal = page.getByRole('alert').filter({ hasText: 'รองรับเฉพาะไฟล์ PDF, PNG, JPEG และ WebP' });
  await pressUntil(save(page), refusal);
  await expect(page.getByText('ผล.pdf', { exact: false }).first()).toBeVisible();
});

test('accepts a dropped, a pasted and a camera file; rejects several at once', async ({ page }) => {
  await page.goto(path);
  const photo = (await turnedPhoto(page)).toString('base64');
  /** The data transfer of dropped or pasted files. */
  const carry = (...names: string[]) =>
    page.evaluateHandle(
      ([content, all]) => {
        const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
        const data = new DataTransfer();
        for (const name of all) data.items.add(new File([bytes], name, { type: 'image/jpeg' }));
        return data;
      },
      [photo, names] as const,
    );
  const place = page.getByText('ลากไฟล์มาวางที่นี่');
  const preview = (name: string) => page.getByRole('img', { name: `ตัวอย่างไฟล์ ${name}` });
  const putBack = () => page.getByRole('button', { name: 'เอาไฟล์ออก' }).click();
  await place.dispatchEvent('drop', { dataTransfer: await carry('หน้า.jpg', 'หลัง.jpg') });
  await expect(page.getByRole('alert')).toContainText('ครั้งละ');
  await place.dispatchEvent('drop', { dataTransfer: await carry('หน้า.jpg') });
  await expect(preview('หน้า.jpg')).toBeVisible();
  await putBack();
  await page
    .getByLabel('คำแนะนำแก่ผู้ป่วย')
    .evaluate(
      (field, clipboardData) =>
        field.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData })),
      await carry('image.jpg'),
    );
  await expect(preview('ภาพที่คัดลอกไว้.jpg')).toBeVisible();
  await putBack();
  await page
    .locator('input[type=file][capture=environment]')
    .setInputFiles({ name: 'IMG_0001.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(photo, 'base64') });
  await expect(preview('IMG_0001.jpg')).toBeVisible();
  await save(page).click();
  await expect(recorded(page)).toContainText('IMG_0001.jpg');
});

test.describe('on a slow network that fails', () => {
  test.use({ allowBrowserErrors: true });

  test('a large file shows its progress, can be cancelled, and is sent again after a failure', async ({
    page,
    baseURL,
  }) => {
    const proxy = await startProxy(baseURL ?? '');
    await page.goto(proxy.url + path);
    await page.getByRole('textbox', { name: 'คำวินิจฉัย' }).fill('ฟิล์มปอด');
    const file = { name: 'ฟิล์มปอด.pdf', mimeType: 'application/pdf', buffer: aPdf(20 * MB) };
    await chooser(page).setInputFiles(file);
    const network = await page.context().newCDPSession(page);
    const slow = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await slow(2 * MB);
    const underway = page.getByText(/^กำลังอัปโหลด [1-9]\d?%$/);
    await save(page).click();
    await expect(underway).toBeVisible();
    await page.getByRole('button', { name: 'ยกเลิกการอัปโหลด' }).click();
    await expect(page.getByText('ยกเลิกการอัปโหลดแล้ว')).toBeVisible();
    await save(page).click();
    await expect(underway).toBeVisible();
    proxy.cut();
    await expect(page.getByText('ข้อมูลและไฟล์ยังอยู่ในแบบฟอร์ม')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'คำวินิจฉัย' })).toHaveValue('ฟิล์มปอด');
    proxy.restore();
    await slow(-1);
    await page.getByRole('button', { name: 'ลองบันทึกอีกครั้ง' }).click();
    await expect(recorded(page).getByRole('listitem')).toHaveCount(1);
    await expect(recorded(page)).toContainText('ฟิล์มปอด.pdf');
    await page.close();
    proxy.remove();
  });
});
