import { cx } from "@/components/ui/cx";
import { initials } from "./initials";

/** Where the page finds a logo. */
export const logoPlace = (url: string) => (url.startsWith("data:") ? url : new URL(url).pathname);

type BusinessMarkProps = {
  name: string | undefined;
  /** Its public address, or a data address of one that is not saved yet. */
  logo: string | null | undefined;
  size?: "small" | "large";
  alt?: string;
};

/** A business's logo on white, or its letters on the accent where it has none. */
export function BusinessMark({ name, logo, size = "small", alt = "" }: BusinessMarkProps) {
  const large = size === "large";
  if (logo) {
    // Through this site's own path, whichever name the install is reached by: the page's policy allows no other.
    const place = logoPlace(logo);
    return (
      // biome-ignore lint/performance/noImgElement: small, kept for good, and there is no optimiser
      <img
        src={place}
        alt={alt}
        className={cx(
          "shrink-0 bg-white object-contain ring-1 ring-line",
          large ? "h-16 min-w-16 max-w-48 rounded-control p-1.5" : "size-8 rounded-tag p-0.5",
        )}
      />
    );
  }
  return (
    <span
      aria-hidden="true"
      className={cx(
        "grid shrink-0 place-items-center rounded-full bg-fill font-semibold text-on-fill",
        large ? "size-16 text-title" : "size-8 text-fine",
      )}
    >
      {name === undefined ? "" : initials(name)}
    </span>
  );
}
