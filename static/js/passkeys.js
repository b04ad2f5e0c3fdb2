// Passkeys: the buttons show where the browser can use them, and failures are said on the page.

const { hostname } = window.location;
const isNumber = /^[\d.]+$|^\[/.test(hostname); // browsers allow no passkey for an IP address
const usable = "PublicKeyCredential" in window && !isNumber;

for (const each of document.querySelectorAll("[data-passkey]")) each.hidden = !usable;
for (const each of document.querySelectorAll("[data-no-passkey]")) each.hidden = usable;

if (hostname === "127.0.0.1" || hostname === "[::1]") {
  for (const link of document.querySelectorAll("[data-named-address]")) {
    const address = new URL(window.location.href);
    address.hostname = "localhost";
    link.href = address.href;
    link.hidden = false;
  }
}

document.addEventListener("click", () => {
  for (const each of document.querySelectorAll("[data-passkey-failed]")) each.hidden = true;
});

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  for (const each of document.querySelectorAll("[data-passkey-failed]")) each.hidden = false;
});
