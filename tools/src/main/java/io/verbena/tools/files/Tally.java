package io.verbena.tools.files;

import java.util.concurrent.atomic.LongAdder;

/** What the connections of a copy have done, counted by all of them. */
final class Tally {

    final LongAdder movedBytes = new LongAdder();
    final LongAdder zeroBytes = new LongAdder();
    final LongAdder keptBytes = new LongAdder();
    final LongAdder again = new LongAdder();
    final LongAdder reconnects = new LongAdder();
}
