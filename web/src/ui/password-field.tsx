import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useT } from '@/i18n/provider';
import { DESCRIPTION_BELOW } from './input-order';

interface PasswordFieldProps extends PasswordInputProps {
  /** For a password that is chosen for another user. */
  initiallyVisible?: boolean;
}

/** A password input that can be shown and warns about Caps Lock. */
export function PasswordField({ description, initiallyVisible = false, ...props }: PasswordFieldProps) {
  const t = useT();
  const [capsLock, setCapsLock] = useState(false);
  const [visible, setVisible] = useState(initiallyVisible);
  const watch = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'));
  return (
    <PasswordInput
      {...props}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': visible ? t.password.hide : t.password.show }}
      description={capsLock ? t.password.capsLock : description}
      inputWrapperOrder={DESCRIPTION_BELOW}
      descriptionProps={{ role: 'status', c: capsLock ? 'var(--mantine-color-error)' : undefined }}
      onKeyDown={watch}
      onKeyUp={watch}
      onBlur={(event) => {
        setCapsLock(false);
        props.onBlur?.(event);
      }}
    />
  );
}
