/**
 * The page's only script, allowed by its hash: copies what is shown, and keeps the language chosen once chosen everywhere.
 * Without it everything can be read and chosen all the same.
 */
export const referenceScript = `(() => {
  const key = "kutip-language";
  const choose = (language) => {
    for (const input of document.querySelectorAll(".tabs input")) if (input.value === language) input.checked = true;
  };
  try { choose(localStorage.getItem(key)); } catch {}
  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".tabs input")) return;
    const top = target.getBoundingClientRect().top;
    choose(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: "instant" });
    try { localStorage.setItem(key, target.value); } catch {}
  });
  const menu = document.querySelector(".menu");
  menu.addEventListener("click", ({ target }) => {
    if (target.closest("nav a") && menu.firstElementChild.offsetParent) menu.open = false;
  });
  const said = document.getElementById("said");
  for (const button of document.querySelectorAll(".copy")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      said.textContent = "";
      const shown = [...button.parentElement.querySelectorAll("pre")].find((pre) => pre.offsetParent);
      try { await navigator.clipboard.writeText(shown.textContent); } catch { return; }
      button.textContent = "Copied";
      said.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
  }
})();`;
