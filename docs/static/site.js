// What the theme leaves out for those who do not use a mouse: the level of the sidebar's captions, and the keyboard's way
// into blocks that scroll sideways.
for (const caption of document.querySelectorAll('.caption[role="heading"]')) caption.setAttribute("aria-level", "2");
for (const block of document.querySelectorAll("pre, .table-wrapper"))
  if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
