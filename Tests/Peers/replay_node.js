// Goes through a recording as a plain node program would: reads it in large blocks, parses each line, and of each frame that brings an
// event the event in it. Prints how many events there were. For `weir-bench replay`.
'use strict';
const fs = require('fs');

const file = fs.openSync(process.argv[2], 'r');
const block = Buffer.allocUnsafe(1 << 20);
let rest = Buffer.alloc(0);
let events = 0;

function take(line) {
    const record = JSON.parse(line);
    if (record.k !== 'f' || record.d !== 'in' || !record.p.startsWith('42')) return;
    const event = JSON.parse(record.p.slice(2));
    if (event[0] === 'realtime:resource') events += 1;
}

for (;;) {
    const count = fs.readSync(file, block, 0, block.length, null);
    if (count === 0) break;
    const bytes = rest.length > 0 ? Buffer.concat([rest, block.subarray(0, count)]) : block.subarray(0, count);
    const end = bytes.lastIndexOf(10);
    if (end >= 0) {
        for (const line of bytes.toString('utf8', 0, end).split('\n')) take(line);
    }
    rest = Buffer.from(bytes.subarray(end + 1));
}
console.log(events);
