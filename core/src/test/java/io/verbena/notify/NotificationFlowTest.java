package io.verbena.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.notify.NotificationFlow.Arm;
import io.verbena.notify.NotificationFlow.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The notification table has the specified answers, and docs/notification.md shows it. */
class NotificationFlowTest {

    private static final Path DIAGRAM = Path.of("../docs/generated/notification-flow.mmd");

    @Test
    void entries_signalExactlyWhereTheFlowSays() {
        for (boolean always : new boolean[] {false, true}) {
            NotificationFlow flow = new NotificationFlow(always);
            for (Arm arm : Arm.values()) {
                boolean any = arm == Arm.ARMED_NEXT;
                boolean asked = arm != Arm.UNARMED;
                assertEquals(any, !flow.silent(arm.ordinal(), Event.PLAIN_ENTRY));
                boolean solicited = asked && arm != Arm.ARMED_TYPES;
                assertEquals(solicited || always, !flow.silent(arm.ordinal(), Event.SOLICITED_ENTRY));
                assertEquals(any || arm == Arm.ARMED_TYPES, !flow.silent(arm.ordinal(), Event.WANTED_ENTRY));
                assertEquals(asked || always, !flow.silent(arm.ordinal(), Event.FAILED_ENTRY));
                assertTrue(!flow.silent(arm.ordinal(), Event.REQUESTED_ENTRY));
            }
        }
    }

    @Test
    void everyEventThatSignals_leavesTheQueueUnarmed() {
        NotificationFlow flow = new NotificationFlow(true);
        for (Arm arm : Arm.values()) {
            for (Event event : new Event[] {Event.PLAIN_ENTRY, Event.SOLICITED_ENTRY, Event.FAILED_ENTRY}) {
                if (!flow.silent(arm.ordinal(), event)) {
                    assertEquals(Arm.UNARMED.ordinal(), flow.next(arm.ordinal(), event));
                }
            }
        }
    }

    @Test
    void diagramInTheDocs_isOfThisCode() throws IOException {
        String diagram = "%% Generated from NotificationFlow; do not edit.\n" + NotificationFlow.mermaid();
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(DIAGRAM, diagram);
        }
        assertEquals(diagram, Files.readString(DIAGRAM), "run with -Dverbena.diagrams.write=true");
    }
}
