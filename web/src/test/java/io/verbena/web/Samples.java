package io.verbena.web;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import java.util.List;

/** Figures for tests. */
final class Samples {

    /** What a hostile peer might call itself. */
    static final String HOSTILE = "<script>alert(\"1\")</script>\\\n}";

    private Samples() {}

    /** A process with an RNIC and this many queue pairs, whose peers have hostile names. */
    static List<Figures> process(int queuePairs) {
        Figures.Builder rnic = Figures.of("rnic").text("provider", "iwarp").value(RnicFigures.REGIONS, 3);
        for (int i = 0; i < queuePairs; i++) {
            rnic.part(Figures.of("queue_pair")
                    .identity("number", String.format("0x%06x", i))
                    .text("state", "RTS")
                    .text("peer", HOSTILE)
                    .value(RnicFigures.OPERATIONS, "send", 7)
                    .value(RnicFigures.OPERATIONS, "read", 2)
                    .value(RnicFigures.IO, "transmit", 4096)
                    .value(RnicFigures.IO, "receive", 10)
                    .build());
        }
        rnic.part(Figures.of("engine")
                .identity("number", 0)
                .value(RnicFigures.BUSY, 1_500_000_000)
                .build());
        rnic.part(Figures.of("event")
                .identity("number", 1)
                .text("sentence", HOSTILE)
                .build());
        return List.of(ProcessFigures.of("test", List.of(rnic.build())));
    }
}
