"use client";

import { Mail, MessageCircle, Share2 } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuLink } from "@/components/ui/menu";
import { notify } from "@/lib/client/notices";
import { useMedia } from "@/lib/client/use-media";

type ShareAddressProps = {
  address: string;
  title: string;
  /** What the phone's own way to share says beside the address. */
  text: string;
  /** The whole of a message, with the address. */
  message: string;
  payer: { email: string; phone: string | null };
  variant?: "quiet" | "ghost";
  size?: "regular" | "small";
};

/** WhatsApp takes a number with its country's code, in digits alone. */
const whatsAppNumber = (phone: string | null): string => {
  const digits = phone?.replace(/[\s().-]/g, "") ?? "";
  return /^\+[1-9]\d{6,14}$/.test(digits) ? digits.slice(1) : "";
};

/** The phone's own way to share where there is one; else mail and WhatsApp with payer and message filled in. */
export function ShareAddress({ address, title, text, message, payer, ...look }: ShareAddressProps) {
  const phone = useMedia("(pointer: coarse)");
  const native = phone && typeof navigator.share === "function";
  const share = async () => {
    try {
      await navigator.share({ title, text, url: address });
    } catch (error) {
      const closed = error instanceof DOMException && error.name === "AbortError";
      if (!closed)
        notify({
          title: "The phone did not let us share",
          description: "Copy the address instead.",
          tone: "bad",
        });
    }
  };
  const face = (
    <>
      <Share2 aria-hidden="true" className="size-4" />
      Share
    </>
  );
  if (native)
    return (
      <Button {...look} onClick={share}>
        {face}
      </Button>
    );
  return (
    <Menu trigger={<Button {...look}>{face}</Button>}>
      <MenuLink
        external
        href={`mailto:${encodeURIComponent(payer.email).replace("%40", "@")}?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(message)}`}
        icon={<Mail aria-hidden="true" />}
      >
        E-mail
      </MenuLink>
      <MenuLink
        external
        href={`https://wa.me/${whatsAppNumber(payer.phone)}?text=${encodeURIComponent(message)}`}
        icon={<MessageCircle aria-hidden="true" />}
      >
        WhatsApp
      </MenuLink>
    </Menu>
  );
}
