import { Toast } from "@base-ui/react/toast";

export type Notice = {
  title: string;
  description?: string;
  tone?: "good" | "bad" | "plain";
  /** Offers Undo, by button and by Ctrl/Cmd+Z, for as long as the notice is shown. */
  undo?: () => void;
};
export type NoticeData = { undo?: () => void };

/** Shown by components/ui/toaster.tsx. */
export const notices = Toast.createToastManager<NoticeData>();

const shownMs = 6_000;
const undoMs = 10_000;

/** Shows a notice in the corner and says it to screen readers, a bad one at once. */
export function notify({ title, description, tone = "plain", undo }: Notice): void {
  const id = notices.add({
    title,
    description,
    type: tone,
    priority: tone === "bad" ? "high" : "low",
    timeout: undo ? undoMs : shownMs,
    data: { undo },
    actionProps: undo && {
      children: "Undo",
      onClick: () => {
        notices.close(id);
        undo();
      },
    },
  });
}
