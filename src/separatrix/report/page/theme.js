// Light, dark, or as the system is; closed parts are opened for print.
"use strict";
(() => {
  const button = document.getElementById("theme"), modes = ["auto", "light", "dark"];
  let mode = 0;
  button.hidden = false;
  button.addEventListener("click", () => {
    mode = (mode + 1) % modes.length;
    if (mode) document.documentElement.dataset.theme = modes[mode];
    else delete document.documentElement.dataset.theme;
    button.textContent = `Theme: ${modes[mode]}`;
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
})();
