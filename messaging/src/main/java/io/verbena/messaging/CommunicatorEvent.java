package io.verbena.messaging;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Figures of a communicator, emitted every ten seconds together with those of the channels, and when it is closed. */
@Name("io.verbena.messaging.Communicator")
@Label("Communicator figures")
@Category({"Verbena", "Messaging"})
@StackTrace(false)
final class CommunicatorEvent extends Event {
    @Label("Number")
    int number;

    @Label("Rank")
    int rank;

    @Label("Ranks")
    int size;

    @Label("Collective operations started")
    long started;

    @Label("Collective operations completed")
    long completed;

    @Label("Collective operations failed")
    long failed;

    @Label("Bytes of completed operations")
    @DataAmount
    long bytes;

    @Label("Steps of schedules")
    long steps;

    @Label("Agreements")
    long agreements;

    static void emit(int number, int rank, CommunicatorFigures figures) {
        CommunicatorEvent event = new CommunicatorEvent();
        event.number = number;
        event.rank = rank;
        event.size = figures.size();
        event.started = figures.operations().started();
        event.completed = figures.operations().completed();
        event.failed = figures.operations().failed();
        event.bytes = figures.operations().bytes();
        event.steps = figures.operations().steps();
        event.agreements = figures.agreements();
        event.commit();
    }
}
