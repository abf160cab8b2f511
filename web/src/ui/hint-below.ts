/** For `inputWrapperOrder`: the hint stands below the input, so that inputs side by side stay in line where only one has a hint. */
export const HINT_BELOW: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];
