import { Group, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { currentOf } from '@/api/error';
import { type Setting, settingQuery } from '@/entities/setting/api';
import { useT } from '@/i18n/provider';
import print from '@/ui/print.module.css';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import { useWrite } from '@/ui/use-write';
import { UPLOAD_LOGO, updateSetting } from './api';
import { PictureUpload, pictureLimit } from './picture-upload';
import { RemoveButton } from './remove-button';
import classes from './setting.module.css';
import { useShareSetting } from './use-setting-form';

interface LogoSectionProps {
  setting: Setting;
  readOnly: boolean;
  /** The settings with the new logo, for the form beside it to continue from. */
  onChanged: (setting: Setting) => void;
}

/** The logo is saved as soon as it is chosen or removed, independently of the other fields. */
export function LogoSection({ setting, readOnly, onChanged }: LogoSectionProps) {
  const t = useT();
  const queryClient = useQueryClient();
  const share = useShareSetting();
  const limit = pictureLimit(setting.uploadMaxMb);
  const adopt = (newer: Setting) => {
    share(newer);
    onChanged(newer);
  };
  const { mutate, isPending } = useWrite({
    mutationFn: (logo: string) => setLogo(setting.version, logo),
    onSuccess: adopt,
    onError: (error) => showFailure(t, error),
  });
  const remove = () =>
    mutate('', {
      onSuccess: () =>
        showUndo({
          message: t.setting.logo.removed,
          undoLabel: t.action.undo,
          onUndo: () => mutate(setting.logo, { onSuccess: () => showDone(t.setting.logo.restored) }),
        }),
    });
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {t.setting.logo.title}
      </Title>
      <div className={classes.logo}>
        {setting.logo ? (
          <img className={classes.logoImage} src={setting.logo} alt={t.setting.logo.current} />
        ) : (
          <Text size="sm" c="dimmed" className={classes.logoImage}>
            {t.setting.logo.none}
          </Text>
        )}
        {!readOnly && (
          <div className={`${classes.logoTools} ${print.screen}`}>
            <Text size="sm" c="dimmed">
              {t.setting.logo.hint}
            </Text>
            <PictureUpload<{ logo: string }>
              path={UPLOAD_LOGO}
              maxBytes={limit}
              chooseLabel={setting.logo ? t.setting.logo.replace : t.setting.logo.choose}
              submitLabel={t.setting.logo.use}
              onDone={async () => {
                adopt(await queryClient.fetchQuery({ ...settingQuery, staleTime: 0 }));
                showDone(t.setting.logo.saved);
              }}
            />
            {setting.logo && (
              <Group>
                <RemoveButton loading={isPending} onClick={remove}>
                  {t.setting.logo.remove}
                </RemoveButton>
              </Group>
            )}
          </div>
        )}
      </div>
    </section>
  );
}

/** Saves the logo even if other settings were changed meanwhile. */
async function setLogo(version: number, logo: string): Promise<Setting> {
  try {
    return await updateSetting({ version, logo });
  } catch (failure) {
    const current = currentOf<Setting>(failure);
    if (!current) throw failure;
    return updateSetting({ version: current.version, logo });
  }
}
