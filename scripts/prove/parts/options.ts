/** The number in `--name=`, or another one where it is not given. */
export const numberOption = (name: string, otherwise: number): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
