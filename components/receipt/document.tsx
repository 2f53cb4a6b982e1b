import { Document, Image, Page, renderToBuffer, StyleSheet, Text, View } from "@react-pdf/renderer";
import type { ReceiptContent } from "@/lib/compute/tasks";
import { accentFor } from "@/lib/kernel/accent";
import { displayAmount } from "@/lib/kernel/money";
import { readableTime } from "@/lib/kernel/readable-time";
import { light, radii, spacing, typeScale } from "@/lib/kernel/tokens";
import { receiptFamilies, weights, writer } from "./fonts";

const point = 10;
const size = (scale: number) => scale * point;
const gap = (scale: number) => scale * point * 1.6;

const styles = StyleSheet.create({
  page: {
    backgroundColor: light.page,
    color: light.ink,
    fontFamily: receiptFamilies,
    fontSize: size(typeScale.body),
    padding: gap(spacing[8]),
  },
  sheet: {
    backgroundColor: light.surface,
    borderRadius: radii.sheet * 0.6,
    padding: gap(spacing[8]),
  },
  logo: {
    alignSelf: "flex-start",
    height: 32,
    marginBottom: gap(spacing[3]),
    maxWidth: 120,
    objectFit: "contain",
    objectPositionX: 0,
  },
  business: { fontWeight: weights.strong, fontSize: size(typeScale.lead) },
  test: {
    alignSelf: "flex-start",
    backgroundColor: light.warnSoft,
    borderRadius: radii.control * 0.5,
    color: light.warn,
    marginBottom: gap(spacing[4]),
    padding: gap(spacing[2]),
  },
  heading: { color: light.muted, marginTop: gap(spacing[6]) },
  amount: {
    fontWeight: weights.strong,
    fontSize: size(typeScale.hero * 0.75),
    marginTop: gap(spacing[1]),
  },
  title: { fontSize: size(typeScale.title), marginTop: gap(spacing[2]) },
  facts: {
    borderTopColor: light.line,
    borderTopWidth: 1,
    marginTop: gap(spacing[6]),
    paddingTop: gap(spacing[4]),
  },
  fact: { flexDirection: "row", marginBottom: gap(spacing[2]) },
  label: { color: light.muted, width: "30%" },
  value: { width: "70%" },
  end: { color: light.muted, fontSize: size(typeScale.fine), marginTop: gap(spacing[6]) },
});

function ReceiptDocument(props: ReceiptContent & { drawn: (text: string) => string }) {
  const {
    drawn,
    business,
    logo,
    test,
    title,
    amount,
    refunded,
    currency,
    references,
    paidAt,
    paymentId,
  } = props;
  const accent = accentFor(business.accent).light;
  const facts = [
    ["Paid to", business.name],
    ...references.map((reference, index) => [
      index === 0 ? "Reference" : `Reference ${index + 1}`,
      reference,
    ]),
    ["Paid on", readableTime(paidAt, business.timeZone)],
    ...(refunded > 0 ? [["Refunded", displayAmount(refunded, currency)]] : []),
    ["Payment", paymentId],
  ];
  const contact = [business.supportEmail, business.supportPhone].filter(Boolean).join(" · ");
  return (
    <Document
      title={drawn(`Receipt ${paymentId}`)}
      author={drawn(business.name)}
      language="en"
      producer="Kutip"
      creator="Kutip"
    >
      <Page size="A4" style={styles.page}>
        <View style={[styles.sheet, { borderTopColor: accent.fill, borderTopWidth: 4 }]}>
          {test ? <Text style={styles.test}>Test mode: no money moved</Text> : null}
          {logo ? <Image src={drawable(logo)} style={styles.logo} /> : null}
          <Text style={[styles.business, { color: accent.text }]}>{drawn(business.name)}</Text>
          <Text style={styles.heading}>Receipt</Text>
          <Text style={styles.amount}>{displayAmount(amount, currency)}</Text>
          <Text style={styles.title}>{drawn(title)}</Text>
          <View style={styles.facts}>
            {facts.map(([label, value]) => (
              <View key={label} style={styles.fact}>
                <Text style={styles.label}>{label}</Text>
                <Text style={styles.value}>{drawn(value ?? "")}</Text>
              </View>
            ))}
          </View>
          {contact === "" ? null : <Text style={styles.end}>{drawn(`Questions? ${contact}`)}</Text>}
        </View>
      </Page>
    </Document>
  );
}

const drawable = ({ type, bytes }: NonNullable<ReceiptContent["logo"]>) => ({
  format: type === "image/png" ? ("png" as const) : ("jpg" as const),
  data: Buffer.from(bytes),
});

/** A receipt as a PDF of one page. A logo that cannot be drawn is left out: the receipt matters more. */
export async function receiptPdf(props: ReceiptContent): Promise<Uint8Array<ArrayBuffer>> {
  const drawn = await writer();
  try {
    return new Uint8Array(await renderToBuffer(<ReceiptDocument {...props} drawn={drawn} />));
  } catch (error) {
    if (!props.logo) throw error;
    return receiptPdf({ ...props, logo: null });
  }
}
