/** The floor plan of a hall, 900 by 500. */
export const plan = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500" viewBox="0 0 900 500">
  <rect width="900" height="500" fill="#f6f7f9"/>
  <g fill="none" stroke="#5b6675" stroke-width="5">
    <path d="M20 20h860v460H20zM320 20v170M320 270v210M600 20v300M600 400v80"/>
  </g>
  <g fill="none" stroke="#9aa5b4" stroke-width="10" stroke-linecap="round">
    <path d="M60 380h220M280 380v-150h170M450 230h130M450 230v140"/>
  </g>
  <g fill="#e4e8ee" stroke="#5b6675" stroke-width="3">
    <circle cx="120" cy="120" r="60"/><circle cx="740" cy="140" r="80"/><rect x="650" y="320" width="180" height="110"/>
  </g>
  <g fill="#5b6675" font-family="sans-serif" font-size="20">
    <text x="80" y="126">Tank A</text><text x="700" y="146">Tank B</text><text x="694" y="382">Control</text>
  </g>
</svg>`
