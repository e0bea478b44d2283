// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

export const whole = (value: number): string => Math.round(value).toLocaleString("en");

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
