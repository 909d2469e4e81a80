package io.verbena.files;

import java.util.concurrent.atomic.LongAdder;

/** Counts of what the connections of a copy have done. All of them update it. */
final class Tally {

    final LongAdder movedBytes = new LongAdder();
    final LongAdder zeroBytes = new LongAdder();
    final LongAdder keptBytes = new LongAdder();
    final LongAdder again = new LongAdder();
    final LongAdder reconnects = new LongAdder();
}
