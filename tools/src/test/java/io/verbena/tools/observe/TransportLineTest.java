package io.verbena.tools.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.TransportType;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransportLineTest {

    private static Optional<String> line(long changes) {
        return TransportLine.of(Figures.of("queue_pair")
                        .text("carrier", TransportType.SHARED_MEMORY)
                        .value(RnicFigures.TRANSPORT_CHANGES, changes)
                        .value(RnicFigures.TRANSPORT_REQUESTS, "repeated", 12)
                        .value(RnicFigures.TRANSPORT_REQUESTS, "recovered", 3)
                        .build())
                .map(String::strip);
    }

    @Test
    void changes_areCountedWithWhatCarriesTheConnectionNow() {
        assertEquals(
                Optional.of("over shared memory after 2 changes of transport, 12 requests repeated, 3 recovered"),
                line(2));
    }

    @Test
    void withoutAChange_thereIsNoLine() {
        assertEquals(Optional.empty(), line(0));
        assertEquals(Optional.empty(), TransportLine.of(Figures.of("queue_pair").build()));
    }
}
