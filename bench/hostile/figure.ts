/** One line of what a part measured. Over its limit the bench ends with exit code 1; null: nothing is promised. */
export interface Figure {
  label: string;
  value: number;
  unit: string;
  limit: number | null;
}
