"use client";

import { Toast } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useEffect, useLayoutEffect } from "react";
import { drawNotices, type Notice } from "@/lib/client/notices";
import { isWriting } from "@/lib/client/shortcuts";
import { cx } from "./cx";

// A toast is not modal, although Base UI marks it so.
const notModal = { "aria-modal": undefined };

type NoticeData = { undo?: () => void };

const notices = Toast.createToastManager<NoticeData>();
const shownMs = 6_000;
const actionMs = 10_000;

function draw(notice: Notice): void {
  const { title, description, tone = "plain", undo, replaces, onClose } = notice;
  const action = undo ? { label: "Undo", run: undo } : notice.action;
  const id = notices.add({
    id: replaces,
    title,
    description,
    type: tone,
    priority: tone === "bad" ? "high" : "low",
    timeout: action ? actionMs : shownMs,
    data: { undo },
    onClose,
    actionProps: action && {
      children: action.label,
      onClick: () => {
        notices.close(id);
        action.run();
      },
    },
  });
}

/** Draws the notices in the corner, and says them. */
export function Toaster() {
  useEffect(() => drawNotices(draw), []);
  return (
    <Toast.Provider toastManager={notices} limit={3}>
      <Toast.Portal>
        <Toast.Viewport
          data-notices=""
          className="fixed right-4 bottom-[calc(1rem+var(--bottom-bar,0px))] z-70 flex w-[calc(100vw-2rem)] flex-col-reverse gap-2 sm:w-88"
        >
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts, close } = Toast.useToastManager<NoticeData>();
  // From the moment its button is seen.
  useLayoutEffect(() => {
    const undoLast = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== "z" ||
        event.shiftKey ||
        event.altKey ||
        !(event.ctrlKey || event.metaKey) ||
        isWriting(event.target)
      )
        return;
      const last = toasts.find((toast) => toast.data?.undo && toast.transitionStatus !== "ending");
      if (!last) return;
      event.preventDefault();
      close(last.id);
      last.data?.undo?.();
    };
    window.addEventListener("keydown", undoLast);
    return () => window.removeEventListener("keydown", undoLast);
  }, [toasts, close]);

  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      role="group"
      {...notModal}
      swipeDirection={["right", "down"]}
      className="appear w-full rounded-card bg-surface text-ink shadow-float data-limited:hidden"
    >
      <Toast.Content className="flex items-start gap-3 p-3 pl-4">
        <Mark tone={toast.type} />
        <div className="min-w-0 flex-1 py-0.5">
          <Toast.Title className="font-medium" />
          <Toast.Description className="text-fine text-muted" />
        </div>
        <Toast.Action className="min-h-7 rounded-tag px-2 font-medium text-accent hover:bg-accent-soft" />
        <Toast.Close
          aria-label="Dismiss"
          aria-hidden={false}
          className="grid size-7 place-items-center rounded-tag text-muted hover:bg-accent-soft hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

function Mark({ tone }: { tone: string | undefined }) {
  if (tone !== "good" && tone !== "bad") return null;
  const Icon = tone === "good" ? CircleCheck : CircleAlert;
  return (
    <Icon
      aria-hidden="true"
      className={cx("mt-1 size-4 shrink-0", tone === "good" ? "text-good" : "text-bad")}
    />
  );
}
