/**
 * For `inputWrapperOrder`: the description below the input, so that inputs in a row stay aligned if only one has one.
 */
export const DESCRIPTION_BELOW: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];
