import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type SettingChange = Schemas['SettingChange'];
export type Banner = Schemas['Banner'];
export type Reminder = Schemas['Reminder'];
export type ReminderChannel = Schemas['ReminderChannel'];

export const CHANNELS: ReminderChannel[] = ['EMAIL', 'SMS', 'LINE'];

export function updateSetting(body: SettingChange) {
  return call(api.POST('/admin/api/v1/global-setting/update', { body }));
}

export const UPLOAD_BANNER = '/admin/api/v1/media-file/upload/banner';
export const UPLOAD_LOGO = '/admin/api/v1/media-file/upload/logo';
