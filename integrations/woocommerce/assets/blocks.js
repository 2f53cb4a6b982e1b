// Shows the payment method in WooCommerce's checkout block. Licence: GPL-2.0-or-later.
(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry;
  const { decodeEntities } = window.wp.htmlEntities;
  const { createElement } = window.wp.element;
  const { title, description, supports } = window.wc.wcSettings.getSetting("kutip_data", {});
  const name = decodeEntities(title || "Kutip");
  const content = createElement("div", null, decodeEntities(description || ""));
  registerPaymentMethod({
    name: "kutip",
    label: createElement("span", null, name),
    ariaLabel: name,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: supports || ["products"] },
  });
})();
