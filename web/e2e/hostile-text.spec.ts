import { inflateRawSync } from 'node:zlib';
import type { APIRequestContext, Page } from '@playwright/test';
import { test } from './own-server';
import { png } from './setting-support';
import { expect, logIn, PASSWORD } from './support';

test.use({ whose: 'hostile' });

/** Texts that users could enter to attack a browser or a spreadsheet. */
const HOSTILE = [
  '<img src=x onerror="window.ran=1">',
  '<script>window.ran=1</script>',
  '"><svg onload=window.ran=1>',
  "'-window.ran-'",
  'javascript:window.ran=1',
  '{{constructor.constructor("window.ran=1")()}}<%= window.ran %>',
  '\u202eกลับหลัง\u2066',
  '=HYPERLINK("https://evil.example";"window.ran")',
  '+1+cmd|window.ran',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
];

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  readOnly?: boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}
type Body = Record<string, unknown>;

/** The text fields of a body: `address.line`, `allergies[].reaction`, `conditions[]`. */
function textFields(document: Document, schema: Schema, path = ''): string[] {
  const { $ref, type, enum: choices, format, readOnly, properties, items } = schema;
  const named = $ref && document.components.schemas[$ref.replace('#/components/schemas/', '')];
  if (named) return textFields(document, named, path);
  if (items) return textFields(document, items, `${path}[]`);
  if (properties) {
    return Object.entries(properties).flatMap(([name, one]) =>
      textFields(document, one, path ? `${path}.${name}` : name),
    );
  }
  const isText = [type].flat().includes('string') && !choices && !format && !readOnly;
  return isText && path ? [path] : [];
}

/** A copy of the body with the value in a field; lists get one item. */
function put(body: Body, field: string, value: unknown): Body {
  const [first = '', ...rest] = field.split('.');
  const name = first.replace('[]', '');
  const list = first.endsWith('[]');
  if (rest.length === 0) return { ...body, [name]: list ? [value] : value };
  const inner = list ? (body[name] as Body[] | undefined)?.[0] : (body[name] as Body | undefined);
  const changed = put(inner ?? {}, rest.join('.'), value);
  return { ...body, [name]: list ? [changed] : changed };
}

/** Writes hostile text to every text field in the API document. */
class HostileWriter {
  readonly #request: APIRequestContext;
  readonly #tokens: { accessToken: string; smqAccessToken: string };
  readonly #document: Document;
  /** The accepted texts, by operation and field. */
  readonly accepted = new Map<string, Set<string>>();

  constructor(
    request: APIRequestContext,
    tokens: { accessToken: string; smqAccessToken: string },
    document: Document,
  ) {
    this.#request = request;
    this.#tokens = tokens;
    this.#document = document;
  }

  headers(path: string) {
    const { accessToken, smqAccessToken } = this.#tokens;
    return { Authorization: `Bearer ${path.includes('/customers/') ? smqAccessToken : accessToken}` };
  }

  fields(path: string): string[] {
    const schema = this.#document.paths[path]?.post?.requestBody?.content['application/json']?.schema;
    return schema ? textFields(this.#document, schema) : [];
  }

  async call<Data>(path: string, data: Body): Promise<Data> {
    const response = await this.#request.post(path, { headers: this.headers(path), data });
    expect(response.status(), `${path}: ${await response.text()}`).toBe(200);
    return (await response.json()).data;
  }

  /** Sends a body with hostile text in every field; fields that the server rejects keep their valid value. */
  async write<Data>(path: string, body: Body, turn: number): Promise<Data> {
    let fields = this.fields(path);
    const all = fields;
    for (let round = 0; round < 8; round++) {
      let data = body;
      for (const field of fields) data = put(data, field, textOf(all.indexOf(field) + turn));
      const response = await this.#request.post(path, { headers: this.headers(path), data });
      if (response.ok()) {
        for (const field of fields) {
          const texts = this.accepted.get(`${path} ${field}`) ?? new Set();
          this.accepted.set(`${path} ${field}`, texts.add(textOf(all.indexOf(field) + turn)));
        }
        return (await response.json()).data;
      }
      const { error } = await response.json();
      const rejected: string[] = (error.fields ?? []).map(({ field }: { field: string }) =>
        field.replace(/\[\d+\]/g, '[]'),
      );
      const left = fields.filter(
        (field) => !rejected.some((one) => field === one || field === `${one}[]` || one === `${field}[]`),
      );
      expect(
        left.length,
        `${path} was rejected without naming one of its fields: ${JSON.stringify(error)}`,
      ).toBeLessThan(fields.length);
      fields = left;
    }
    throw new Error(`${path} is still rejected`);
  }
}

const textOf = (n: number) => HOSTILE[n % HOSTILE.length] ?? '';

/** Operations without text fields of their own, and the reason. */
const EXCLUDED: [RegExp, string][] = [
  [
    /\/(list|search|list-results|list-id-card|calendar-list|check-time-slots|waitlist|affected|details|export)$|\/report\//,
    'only reads',
  ],
  [/\/auth\/(?!register)/, 'names, passwords and codes, which nothing shows'],
  [/\/create-series$/, 'the fields of create'],
  [/\/(closures\/move|update-capacity|undo-status)$/, 'days and times'],
  [/\/(customers|user-admin|role|service-config|closures|displays)\/delete$/, 'an id'],
];

/** Collects what the page reports: scripts that ran, violations of the content policy, script links. */
async function watch(page: Page, browserErrors: string[]): Promise<void> {
  page.on('dialog', async (dialog) => {
    browserErrors.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) browserErrors.push(message.text());
  });
  await page.addInitScript(() => {
    const found: string[] = [];
    Object.assign(window, { found });
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      found.push(`${effectiveDirective} ${blockedURI}`),
    );
  });
}

async function attacksIn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { found, ran } = window as unknown as { found: string[]; ran?: unknown };
    const links = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].filter(
      ({ protocol }) => !['http:', 'https:', 'mailto:', 'tel:', 'blob:'].includes(protocol),
    );
    return [
      ...found,
      ...(ran === undefined ? [] : ['a script ran']),
      ...links.map(({ href }) => `link ${href}`),
    ];
  });
}

/** The files of a zip archive, by name. */
function unzip(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(archive.lastIndexOf('PK\u0005\u0006') + 16);
  while (archive.readUInt32LE(at) === 0x02014b50) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + size);
    files.set(
      archive.toString('utf8', at + 46, at + 46 + name),
      (method ? inflateRawSync(packed) : packed).toString('utf8'),
    );
    at += 46 + name + extra + comment;
  }
  return files;
}

/** The cells of a csv file, without their quotes. */
const cells = (text: string) =>
  [...text.replace(/^\ufeff/, '').matchAll(/(?:^|,|\r?\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );

const isFormula = (cell: string) => /^[=+\-@\t\r\n]/.test(cell);

const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000 + 7 * 3_600_000).toISOString().slice(0, 10);

test('hostile text stays text on screens, in prints and in exports', {
  tag: '@long',
}, async ({ page, request, signInAs, baseURL }) => {
  test.setTimeout(120_000);
  const tokens = await logIn(request, 'admin');
  const document: Document = await (await request.get('/openapi.json')).json();
  const writer = new HostileWriter(request, tokens, document);
  const admin = '/admin/api/v1';
  const roles = await (await request.get(`${admin}/role/list`, { headers: writer.headers('') })).json();
  const roleId = roles.data.find(({ name }: { name: string }) => name === 'EXECUTIVE').id;

  const picture = await request.post(`${admin}/media-file/upload/banner`, {
    headers: writer.headers(''),
    multipart: {
      alt: textOf(0),
      file: { name: `${textOf(0)}.png`, mimeType: 'image/png', buffer: png(40, 20, [0, 90, 80]) },
    },
  });
  const { data: banner } = await picture.json();
  expect(picture.ok()).toBe(true);

  interface Made {
    id: number;
    version: number;
    token?: string;
    code?: string;
  }
  const made: Record<string, Made[]> = {};
  const first = (kind: string) => made[kind]?.[0] as Made;
  /** Each operation that writes text, with a valid body; `turn` makes it unique. */
  const writes: Record<string, (turn: number) => Body | Promise<Body>> = {
    [`${admin}/patients/create`]: (turn) => ({
      prename: 'นาย',
      firstName: `ชื่อ${turn}`,
      lastName: 'สกุล',
      sex: 'M',
      birthDate: '1980-01-01',
      confirmDuplicate: true,
      allergies: [{ substance: 'ยา', severity: 'MILD', reaction: 'ผื่น' }],
    }),
    [`${admin}/service-config/create`]: (turn) => ({
      code: `HOSTILE${turn}`,
      name: 'คลินิก',
      defaultCapacity: 50,
      slotMinutes: 60,
      schedule: [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, startTime: '00:00', endTime: '24:00' })),
    }),
    [`${admin}/appointment/create`]: (turn) => ({
      patientId: made['patients/create']?.[turn]?.id,
      serviceId: first('service-config/create').id,
      date: dayFromNow(1),
      startTime: '10:00',
    }),
    [`${admin}/appointment/update`]: (turn) => ({
      id: made['appointment/create']?.[turn]?.id,
      version: 1,
      note: 'ก',
    }),
    [`${admin}/appointment-results/create`]: (turn) => ({
      appointmentId: made['appointment/create']?.[turn]?.id,
      diagnosis: 'ไข้',
    }),
    [`${admin}/appointment/mark-status`]: (turn) => ({
      id: made['appointment/create']?.[turn]?.id,
      status: turn === 0 ? 'CONFIRMED' : 'CANCELLED',
      reason: 'ไม่มา',
    }),
    '/admin/api/v1.0/customers/create': (turn) => ({
      name: 'ผู้ใช้บริการ',
      phone: `08${String(turn).padStart(8, '0')}`,
      patients: [{ patientId: made['patients/create']?.[turn]?.id, relation: 'SELF' }],
    }),
    '/admin/api/v1.0/user-admin/create': (turn) => ({
      username: `hostile${turn}`,
      email: `hostile${turn}@sinakhon.example`,
      name: 'คน',
      roleId,
      invite: true,
    }),
    [`${admin}/role/create`]: (turn) => ({ name: `HOSTILE_${turn}`, label: 'บทบาท', permissions: [] }),
    [`${admin}/service-config/displays/create`]: () => ({
      serviceId: first('service-config/create').id,
      label: 'จอ',
    }),
    [`${admin}/service-config/closures/create`]: () => ({
      dateFrom: dayFromNow(3),
      dateTo: dayFromNow(3),
      reason: 'ประชุม',
      serviceIds: [made['service-config/create']?.[1]?.id],
    }),
    [`${admin}/patients/reveal-id-card`]: () => ({ id: first('patients/create').id, reason: 'ตรวจสิทธิ' }),
    [`${admin}/patients/delete`]: async () => ({
      id: (
        await writer.call<Made>(`${admin}/patients/create`, {
          prename: 'นาย',
          firstName: 'ลบ',
          lastName: 'ทิ้ง',
          sex: 'M',
          birthDate: '1980-01-01',
          confirmDuplicate: true,
        })
      ).id,
      reason: 'ซ้ำ',
    }),
    '/admin/api/v1.0/auth/register': (turn) => ({
      username: `applicant${turn}`,
      email: `applicant${turn}@sinakhon.example`,
      name: 'ผู้สมัคร',
      password: PASSWORD,
    }),
    [`${admin}/global-setting/update`]: async () => {
      const { version } = (
        await (await request.get(`${admin}/global-setting/read`, { headers: writer.headers('') })).json()
      ).data;
      return {
        version,
        banners: [{ id: banner.id, image: banner.image, active: true }],
        reminders: [{ offsetHours: 24, channel: 'EMAIL', template: 'นัด' }],
      };
    },
  };
  const once = [
    'patients/reveal-id-card',
    'patients/delete',
    'auth/register',
    'service-config/displays/create',
  ];
  for (const [path, body] of Object.entries(writes)) {
    const kind = path.replace(/^\/admin\/api\/v1(\.0)?\//, '');
    const list: Made[] = [];
    made[kind] = list;
    for (let turn = 0; turn < (once.includes(kind) ? 3 : HOSTILE.length); turn++) {
      list.push(await writer.write<Made>(path, await body(turn), turn));
    }
  }
  const visit = first('appointment/create').id;
  const upload = await request.post(`${admin}/appointment/result/create/${visit}`, {
    headers: writer.headers(''),
    multipart: {
      diagnosis: textOf(0),
      advice: textOf(1),
      file: { name: `${textOf(0)}.png`, mimeType: 'image/png', buffer: png(40, 20, [0, 90, 80]) },
    },
  });
  expect(upload.status(), await upload.text()).toBe(200);

  // Every text field in the API document was written, by its own operation or by one with the same fields.
  const written = [...writer.accepted.keys()];
  for (const [path, { post }] of Object.entries(document.paths)) {
    if (!post || writes[path] || EXCLUDED.some(([left]) => left.test(path))) continue;
    const same = path.replace(/update$/, 'create');
    const missing = writer
      .fields(path)
      .filter((field) => !writes[same] || !writer.fields(same).includes(field));
    expect(missing, `${path}: nothing hostile was written`).toEqual([]);
  }
  expect(written.length).toBeGreaterThan(55);

  // Screens.
  const browserErrors: string[] = [];
  await watch(page, browserErrors);
  await signInAs('admin');
  const patient = first('patients/create').id;
  const [screen] = made['service-config/displays/create'] ?? [];
  const q = encodeURIComponent('window.ran');
  for (const [path, shown] of [
    ['/login', undefined],
    ['/app/dashboard', undefined],
    [`/app/appointment/list?dateFrom=${dayFromNow(0)}&dateTo=${dayFromNow(2)}`, 'window.ran'],
    [`/app/appointment/calendar?view=day&date=${dayFromNow(1)}`, undefined],
    [`/app/appointment/${visit}/edit`, 'window.ran'],
    [`/app/appointment/${visit}/diagnosisResults`, 'window.ran'],
    [`/app/appointment/create?patientId=${patient}`, 'window.ran'],
    [`/app/patient-management?q=${q}`, 'window.ran'],
    ['/app/patient-management?tab=customers', 'window.ran'],
    [`/app/patient-management/${patient}/edit`, undefined],
    [`/app/patient-management/${patient}/edit?tab=timeline`, undefined],
    [`/app/user-management?q=hostile`, 'window.ran'],
    ['/app/user-management?tab=roles', 'window.ran'],
    [`/app/user-management/${first('user-admin/create').id}/edit`, undefined],
    [`/app/serviceSchedule?service=${first('service-config/create').id}`, 'window.ran'],
    [`/app/serviceSchedule?view=closures&date=${dayFromNow(3)}`, 'window.ran'],
    ['/app/report', undefined],
    ['/app/global-config?tab=services', 'window.ran'],
    ['/app/global-config?tab=banners', undefined],
    ['/app/global-config?tab=reminders', undefined],
    ['/app/global-config?tab=audit', 'window.ran'],
    ['/app/profile', undefined],
    [`/display/${first('service-config/create').code}#${screen?.token}`, undefined],
    [`/app/appointment/list?q=${encodeURIComponent(textOf(0))}`, undefined],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading').first()).toBeVisible();
    if (shown) await expect(page.getByText(shown).first()).toBeAttached();
    expect.soft(await attacksIn(page), path).toEqual([]);
  }
  expect(browserErrors).toEqual([]);

  // Prints.
  for (const path of [`slip/${visit}`, `slip/${visit}?size=80mm`, `day-list?date=${dayFromNow(1)}`]) {
    const response = await request.get(`${admin}/appointment/${path}`, { headers: writer.headers('') });
    const body = (await response.body()).toString('latin1');
    expect(response.headers()['content-type'], await response.text()).toBe('application/pdf');
    expect(
      body.match(/\/(JavaScript|JS|OpenAction|AA|Launch|URI|SubmitForm|EmbeddedFile)\b/),
      path,
    ).toBeNull();
  }

  // Exports.
  const period = { dateFrom: dayFromNow(0), dateTo: dayFromNow(30) };
  for (const [path, data] of [
    ['patients/export', {}],
    ['appointment/export', period],
    ...['utilization', 'no-show', 'waiting-time', 'workload'].map(
      (name) => [`report/${name}`, period] as const,
    ),
  ] as const) {
    const fetch = async (format: string) => {
      const response = await request.post(`${admin}/${path}`, {
        headers: writer.headers(''),
        data: { ...data, format },
      });
      expect(response.status(), path).toBe(200);
      expect(response.headers()['content-disposition']).toMatch(/^attachment; /);
      return response.body();
    };
    const list = cells((await fetch('csv')).toString('utf8'));
    expect(list.length).toBeGreaterThan(4);
    expect(list.filter(isFormula), `${path}, csv`).toEqual([]);
    const book = unzip(await fetch('xlsx'));
    const sheets = [...book].filter(([name]) => name.startsWith('xl/worksheets/'));
    expect(sheets.length).toBeGreaterThan(0);
    for (const [name, xml] of sheets) expect(xml.match(/<f[ >]/), `${path}, ${name}`).toBeNull();
    expect(
      [...book.keys()].filter((name) => /external|vba|macro|activeX|connections|embeddings/i.test(name)),
    ).toEqual([]);
    if (!path.startsWith('report'))
      expect(list.join('\n'), 'the hostile rows are there').toContain("'=HYPERLINK");
  }
  expect(new URL(page.url()).origin).toBe(baseURL);
});

test('no address redirects a user to another site after sign-in', { tag: '@long' }, async ({
  page,
  request,
  baseURL,
  context,
  signInAs,
}) => {
  const outside: string[] = [];
  const browserErrors: string[] = [];
  await watch(page, browserErrors);
  page.on('request', (one) => {
    const { origin, protocol } = new URL(one.url());
    if (origin !== baseURL && !['data:', 'blob:'].includes(protocol)) outside.push(one.url());
  });
  expect((await request.get('/readyz')).ok()).toBe(true);
  const targets = [
    '//evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https://evil.example/app',
    '/%2f/evil.example',
    'javascript:window.ran=1',
    '/\t/evil.example',
  ];
  await page.goto(`/login?redirect=${encodeURIComponent('//evil.example/app')}`);
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('queue');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/app/dashboard');
  await context.clearCookies();
  await signInAs('admin');
  for (const target of targets) {
    await page.goto(`/login?redirect=${encodeURIComponent(target)}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(new URL(page.url()).origin, target).toBe(baseURL);
    expect(await attacksIn(page), target).toEqual([]);
  }
  expect(outside).toEqual([]);
  expect(browserErrors).toEqual([]);
});
