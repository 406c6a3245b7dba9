const WIDTH = 30

/** Shows progress: one line that is updated on a terminal; elsewhere a line at each tenth. */
export function drawProgress(done: number, total: number): void {
  const bar = '█'.repeat(Math.round((done / total) * WIDTH)).padEnd(WIDTH, '░')
  const line = `${bar} ${done}/${total}`
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${done === total ? '\n' : ''}`)
  else if (done === total || done % Math.ceil(total / 10) === 0) console.log(line)
}
