package io.verbena.host;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One queue pair at one moment, for the flight recorder. */
@Name("io.verbena.QueuePairStatistics")
@Label("Queue Pair Statistics")
@Category({"Verbena", "Statistics"})
@Description(
        "What a queue pair and its peer have transferred since the queue pair was created, its queues, and its path.")
@Period("10 s")
@StackTrace(false)
final class QueuePairStatisticsEvent extends Event {

    @Label("RNIC")
    int rnic;

    @Label("Queue Pair")
    String queuePair = "";

    @Label("State")
    String state = "";

    @Label("Peer")
    String peer = "";

    @Label("Transmitted")
    @DataAmount
    long transmitted;

    @Label("Received")
    @DataAmount
    long received;

    @Label("Read by the Peer")
    @DataAmount
    long readByPeer;

    @Label("Written by the Peer")
    @DataAmount
    long writtenByPeer;

    @Label("Outstanding Send Requests")
    long sendsOutstanding;

    @Label("Available Receives")
    long receivesAvailable;

    @Label("Errors")
    long errors;

    @Label("Flushed Requests")
    long flushed;

    @Label("Unused Receives")
    long unused;

    @Label("Retransmissions")
    long retransmissions;

    @Label("Round-Trip Time")
    @Timespan(Timespan.NANOSECONDS)
    long roundTrip;

    static void emit(int rnic, Figures queuePair) {
        QueuePairStatisticsEvent event = new QueuePairStatisticsEvent();
        event.rnic = rnic;
        event.queuePair = queuePair.identity().getOrDefault("number", "");
        event.state = queuePair.texts().getOrDefault("state", "");
        event.peer = queuePair.texts().getOrDefault("peer", "");
        event.transmitted = queuePair.number(RnicFigures.IO, "transmit");
        event.received = queuePair.number(RnicFigures.IO, "receive");
        event.readByPeer = queuePair.number(RnicFigures.PEER_IO, "transmit");
        event.writtenByPeer = queuePair.number(RnicFigures.PEER_IO, "receive");
        event.sendsOutstanding = queuePair.number(RnicFigures.QUEUE_OUTSTANDING, "send");
        event.receivesAvailable = queuePair.number(RnicFigures.QUEUE_OUTSTANDING, "receive");
        event.errors = queuePair.number(RnicFigures.FAILURES, "error");
        event.flushed = queuePair.number(RnicFigures.FAILURES, "flushed");
        event.unused = queuePair.number(RnicFigures.FAILURES, "unused");
        event.retransmissions = queuePair.number(RnicFigures.RETRANSMISSIONS);
        event.roundTrip = queuePair.number(RnicFigures.ROUND_TRIP);
        event.commit();
    }
}
