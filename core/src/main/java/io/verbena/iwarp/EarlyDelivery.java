package io.verbena.iwarp;

import io.verbena.iwarp.early.EarlyMessages;
import io.verbena.iwarp.early.EarlyRecords;
import io.verbena.iwarp.early.EarlyTables;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.wire.Ulpdu;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * Delivers what arrived after a hole, when the hole has closed: one step for each record. All payload is placed, but the checks
 * that depend on the order of the stream are made now.
 */
public final class EarlyDelivery {

    private final StreamState state;
    private final UlpduSink sink;
    private final EarlyTables tables;
    private final EarlyRecords records;
    private final EarlyMessages kept;
    private final Ulpdu ulpdu = new Ulpdu();

    EarlyDelivery(StreamState state, UlpduSink sink, EarlyTables tables) {
        this.state = state;
        this.sink = sink;
        this.tables = tables;
        records = tables.records;
        kept = tables.messages;
    }

    /**
     * If the bytes before the first guess are in order, the guess is either true or false: it becomes a record, or is withdrawn, as
     * are those after it that are false for the same reason.
     *
     * @param next stream offset of the first missing byte
     * @param adjacent whether the bytes before {@code next} are in order, and nothing early is among them
     * @param start whether, in this case, an FPDU starts at {@code next}
     * @return whether a guess has become a record
     */
    boolean confirmNext(long next, boolean adjacent, boolean start) {
        while (!tables.guesses.isEmpty() && tables.guesses.first() <= next) {
            boolean certain = adjacent ? start : records.endsAt(next);
            if (certain && tables.confirm(next, next, adjacent) > next) {
                return true;
            }
            long wrong = tables.guesses.first();
            tables.withdraw(wrong, wrong + 1);
        }
        return false;
    }

    /**
     * Delivers the first record and removes it. If memory is not available, the record begins with what was not delivered.
     *
     * @return NOT_NOW to be called again; otherwise DONE, also after a violation
     */
    Moved deliverFirst() {
        return switch (records.kind(0)) {
            case EarlyRecords.WRITE, EarlyRecords.RESPONSE -> deliverPayload();
            case EarlyRecords.SEND -> deliverSends();
            case EarlyRecords.REQUEST -> deliverRequests();
            case EarlyRecords.SINGLE -> deliver(records.decodeFirst(0, ulpdu));
            default -> deliverKept();
        };
    }

    /** Segments of one message: all at once, or, if one of them has a fault, in order up to that one. */
    private Moved deliverPayload() {
        if (records.segments(0) > 1) {
            MemorySegment whole = records.decodeWhole(0, ulpdu);
            if (sink.admits(ulpdu)) {
                return removed(sink.deliver(ulpdu, whole));
            }
        }
        while (records.segments(0) > 1 && !state.ended()) {
            MemorySegment header = records.decodeFirst(0, ulpdu);
            if (sink.admit(ulpdu, header) && sink.deliver(ulpdu, header) == Moved.NOT_NOW) {
                return Moved.NOT_NOW;
            }
            records.removeFirstSegment(ulpdu.length());
        }
        return state.ended() ? Moved.DONE : deliver(records.decodeFirst(0, ulpdu));
    }

    private Moved deliverSends() {
        MemorySegment header = records.decodeFirst(0, ulpdu);
        // The receives of the others were checked when they were placed, and their MSN and MO follow the first ones.
        if (sink.admit(ulpdu, header)) {
            sink.deliverSends(ulpdu, records.nextMsn(0) - records.msn(0), records.nextMo(0));
        }
        return removed(Moved.DONE);
    }

    /** Rings the doorbell of the read queue. */
    private Moved deliverRequests() {
        EarlyMessages entered = sink.entered();
        while (!state.ended()) {
            int slot = records.msn(0) & entered.slots() - 1;
            ulpdu.decode(entered.bytes(), entered.at(slot), entered.length(slot));
            if (sink.admit(ulpdu, entered.bytes()) && sink.deliver(ulpdu, entered.bytes()) == Moved.NOT_NOW) {
                return Moved.NOT_NOW;
            }
            entered.remove(slot);
            if (records.segments(0) == 1) {
                return removed(Moved.DONE);
            }
            records.removeFirstSegment(ulpdu.length());
        }
        return Moved.DONE;
    }

    private Moved deliverKept() {
        int slot = records.slot(0);
        ulpdu.decode(kept.bytes(), kept.at(slot), kept.length(slot));
        Moved moved = deliver(kept.bytes());
        if (moved != Moved.NOT_NOW) {
            kept.remove(slot);
        }
        return moved;
    }

    /** Delivers the decoded segment, the only one of its record. */
    private Moved deliver(MemorySegment segment) {
        return sink.admit(ulpdu, segment) ? removed(sink.deliver(ulpdu, segment)) : removed(Moved.DONE);
    }

    private Moved removed(Moved moved) {
        if (moved == Moved.NOT_NOW) {
            return moved;
        }
        records.removeFirst();
        return Moved.DONE;
    }
}
