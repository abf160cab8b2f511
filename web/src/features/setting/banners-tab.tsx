import { Group, Switch, Text, TextInput, Title } from '@mantine/core';
import { IconCalendarOff, IconCalendarTime, IconEye, IconEyeOff, IconPhoto } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type Setting, settingQuery } from '@/entities/setting/api';
import { useLanguage, useT } from '@/i18n/provider';
import { EmptyState } from '@/ui/empty-state';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import print from '@/ui/print.module.css';
import { moved, SortableHint, SortableList } from '@/ui/sortable-list';
import { StatusBadge } from '@/ui/status-badge';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { showDone, showUndo } from '@/ui/toast';
import { type Banner, UPLOAD_BANNER } from './api';
import { bannerName, bannersPart, daysOf, endOf, startOf, stateOf } from './banners-part';
import { PictureUpload, pictureLimit } from './picture-upload';
import { RemoveButton } from './remove-button';
import classes from './setting.module.css';
import { SettingForm, SettingPanel } from './setting-panel';
import { useSettingForm, useShareSetting } from './use-setting-form';

/** The banners of the waiting room and the app. An upload is stored at once; other changes when saved. */
export function BannersTab() {
  const t = useT();
  return (
    <SettingPanel permission="BANNER.UPDATE" readOnlyText={t.setting.bannersReadOnly}>
      {(setting, readOnly) => <BannersForm setting={setting} readOnly={readOnly} />}
    </SettingPanel>
  );
}

function BannersForm({ setting, readOnly }: { setting: Setting; readOnly: boolean }) {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const share = useShareSetting();
  const record = useSettingForm(setting, bannersPart(t, language));
  const { form } = record;
  const { banners } = form.values;
  const limit = pictureLimit(setting.uploadMaxMb);
  const change = (next: Banner[]) => form.setFieldValue('banners', next);
  const added = async ({ id }: Banner) => {
    const newer = await queryClient.fetchQuery({ ...settingQuery, staleTime: 0 });
    share(newer);
    const mine = form.getValues().banners;
    const unsaved = record.unsaved();
    record.adopt(newer);
    // After the user's unsaved order and texts, the new banner is last.
    const fresh = newer.banners.find((one) => one.id === id);
    if (unsaved && fresh && !mine.some((one) => one.id === id)) change([...mine, fresh]);
    showDone(t.setting.banners.added);
  };
  const remove = (index: number) => {
    const banner = banners[index];
    if (!banner) return;
    const name = bannerName(t, banner, index);
    form.clearErrors();
    change(banners.filter((_, place) => place !== index));
    showUndo({
      message: t.setting.banners.removed(name),
      undoLabel: t.action.undo,
      onUndo: () => {
        const now = form.getValues().banners;
        if (now.some(({ id }) => id === banner.id)) return;
        change([...now.slice(0, index), banner, ...now.slice(index)]);
        showDone(t.setting.banners.restored(name));
      },
    });
  };
  return (
    <>
      {!readOnly && (
        <section className={print.screen}>
          <Title order={2} size="h3" mb="xs">
            {t.setting.banners.uploadTitle}
          </Title>
          <PictureUpload<Banner>
            path={UPLOAD_BANNER}
            maxBytes={limit}
            chooseLabel={t.setting.upload.choose}
            submitLabel={t.setting.upload.upload}
            banner
            onDone={added}
          />
        </section>
      )}
      <SettingForm label={t.config.tabs.banners} record={record} readOnly={readOnly}>
        {banners.length === 0 ? (
          <EmptyState icon={IconPhoto} title={t.setting.banners.none}>
            {t.setting.banners.noneHint}
          </EmptyState>
        ) : (
          <>
            <Text size="sm" c="dimmed" className={print.screen}>
              {t.setting.banners.intro} {!readOnly && <SortableHint />}
            </Text>
            <SortableList
              label={t.setting.banners.list}
              items={banners}
              itemKey={({ id }) => id}
              nameOf={(banner) => bannerName(t, banner, banners.indexOf(banner))}
              onMove={readOnly ? undefined : (from, to) => change(moved(banners, from, to))}
              render={(banner, index) => (
                <BannerRow
                  banner={banner}
                  index={index}
                  readOnly={readOnly}
                  input={(field) => form.getInputProps(`banners.${index}.${field}`)}
                  onChange={(part) =>
                    change(banners.map((one, place) => (place === index ? { ...one, ...part } : one)))
                  }
                  onRemove={() => remove(index)}
                />
              )}
            />
          </>
        )}
      </SettingForm>
    </>
  );
}

interface BannerRowProps {
  banner: Banner;
  index: number;
  readOnly: boolean;
  input: (field: 'alt' | 'link' | 'endsAt') => { error?: React.ReactNode };
  onChange: (part: Partial<Banner>) => void;
  onRemove: () => void;
}

const STATES = {
  now: { icon: IconEye, color: 'green' },
  off: { icon: IconEyeOff, color: 'gray' },
  later: { icon: IconCalendarTime, color: 'blue' },
  over: { icon: IconCalendarOff, color: 'gray' },
} as const;

function BannerRow({ banner, index, readOnly, input, onChange, onRemove }: BannerRowProps) {
  const t = useT();
  const { from, to } = daysOf(banner);
  const state = stateOf(banner, new Date());
  const name = bannerName(t, banner, index);
  return (
    <fieldset className={classes.banner} aria-label={name}>
      <div className={classes.bannerPicture}>
        <img className={classes.bannerImage} src={banner.image} alt={name} loading="lazy" />
        <StatusBadge {...STATES[state]}>{t.setting.banners.state[state]}</StatusBadge>
      </div>
      <div className={classes.grid}>
        <TextInput label={t.setting.banners.alt} readOnly={readOnly} maxLength={200} {...input('alt')} />
        <TextInput
          label={t.setting.banners.link}
          readOnly={readOnly}
          type="url"
          placeholder="https://"
          maxLength={500}
          dir="ltr"
          {...input('link')}
        />
        <ThaiDateInput
          label={t.setting.banners.startsAt}
          description={t.setting.banners.openEnd}
          inputWrapperOrder={DESCRIPTION_BELOW}
          readOnly={readOnly}
          value={from}
          onChange={(day) => onChange({ startsAt: startOf(day) })}
        />
        <ThaiDateInput
          label={t.setting.banners.endsAt}
          description={t.setting.banners.openEnd}
          inputWrapperOrder={DESCRIPTION_BELOW}
          readOnly={readOnly}
          error={input('endsAt').error}
          value={to}
          onChange={(day) => onChange({ endsAt: endOf(day) })}
        />
        <Group gap="md" className={classes.wide}>
          <Switch
            label={t.setting.banners.active}
            disabled={readOnly}
            checked={banner.active}
            onChange={({ currentTarget: { checked } }) => onChange({ active: checked })}
          />
          {!readOnly && (
            <RemoveButton aria-label={t.setting.banners.removeNamed(name)} onClick={onRemove}>
              {t.setting.banners.remove}
            </RemoveButton>
          )}
        </Group>
      </div>
    </fieldset>
  );
}
