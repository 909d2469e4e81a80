package io.verbena.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elements of work and completion queues: each field keeps its value when others are set. */
class ElementsTest {

    /** All parts have a value whose every bit differs from its neighbours'. */
    private static Wqe full(Wqe wqe) {
        return wqe.clear(WorkOpcode.READ_WITH_INVALIDATE, WrFlags.SIGNALLED.withSolicited())
                .wrId(-1)
                .remoteAddress(-2)
                .rkey(-3)
                .otherKey(0x1234_5678)
                .operand1(-5)
                .operand2(-6)
                .progress(-7)
                .fail(CompletionStatus.REMOTE_ACCESS)
                .destination(-9, 0x1122_3344)
                .addElement(-10, -11, 12)
                .addElement(0x7fff_fffe, 1L << 40, 1000);
    }

    private static String text(Wqe w) {
        return w.wrId() + " " + w.opcode() + " " + w.remoteAddress() + " " + w.rkey() + " " + w.otherKey() + " "
                + w.operand1() + " " + w.operand2() + " " + w.progress() + " "
                + (w.failed() ? w.failure() : "-") + " " + w.destination()
                + " " + w.qkey() + " " + w.elements() + " " + w.length();
    }

    @Test
    void wqe_words_areLaidOutAsDocumented() {
        Wqe wqe = full(Wqe.template(2, 0));
        long[] words = wqe.bytes().toArray(ValueLayout.JAVA_LONG);
        assertEquals(-1, words[0], "wrId");
        assertEquals(
                WorkOpcode.READ_WITH_INVALIDATE.ordinal() | 5 << 8 | 2 << 16 | 1012L << 32,
                words[1],
                "opcode, flags, elements, length");
        assertEquals(-2, words[2], "remoteAddress");
        assertEquals(0x1234_5678L << 32 | 0xffff_fffdL, words[3], "rkey, otherKey: the address handle of a datagram");
        assertEquals(-5, words[4], "operand1");
        assertEquals(-6, words[5], "operand2");
        assertEquals(1L + CompletionStatus.REMOTE_ACCESS.ordinal() << 32 | 0xffff_fff9L, words[6], "progress, failure");
        assertEquals(0x1122_3344L << 32 | 0xffff_fff7L, words[7], "destination queue pair, Q_Key");
        assertEquals(12L << 32 | 0xffff_fff6L, words[8], "key and length of the first element");
        assertEquals(-11, words[9], "its offset");
        assertEquals(1000L << 32 | 0x7fff_fffeL, words[10]);
        assertEquals(1L << 40, words[11]);
    }

    @Test
    void wqe_everyStatus_isKeptAsItsFailure() {
        Wqe wqe = Wqe.template(1, 0);
        for (CompletionStatus status : CompletionStatus.values()) {
            wqe.clear(WorkOpcode.SEND, WrFlags.SIGNALLED);
            assertFalse(wqe.failed());
            wqe.progress(-1).fail(status);
            assertTrue(wqe.failed());
            assertEquals(status, wqe.failure());
            assertEquals(-1, wqe.progress());
        }
    }

    @Test
    void wqe_everyOpcode_knowsWhetherItAwaitsAResponse() {
        Set<WorkOpcode> awaiting = EnumSet.of(
                WorkOpcode.READ,
                WorkOpcode.READ_WITH_INVALIDATE,
                WorkOpcode.COMPARE_AND_SWAP,
                WorkOpcode.FETCH_AND_ADD);
        Set<WorkOpcode> atomics = EnumSet.of(WorkOpcode.COMPARE_AND_SWAP, WorkOpcode.FETCH_AND_ADD);
        Wqe wqe = Wqe.template(1, 0);
        for (WorkOpcode opcode : WorkOpcode.values()) {
            wqe.clear(opcode, WrFlags.SIGNALLED);
            assertEquals(awaiting.contains(opcode), wqe.awaitsResponse(), opcode::name);
            assertEquals(atomics.contains(opcode), wqe.atomic(), opcode::name);
        }
    }

    @Test
    void wqe_everyPart_keepsItsValue() {
        Wqe wqe = full(Wqe.template(3, 0));
        assertEquals("-1 READ_WITH_INVALIDATE -2 -3 305419896 -5 -6 -7 REMOTE_ACCESS -9 287454020 2 1012", text(wqe));
        assertEquals("-10 12 -11", wqe.elementKey(0) + " " + wqe.elementLength(0) + " " + wqe.elementOffset(0));
        assertEquals(
                "2147483646 1000 1099511627776",
                wqe.elementKey(1) + " " + wqe.elementLength(1) + " " + wqe.elementOffset(1));
        // In the other order, so that the second field of a word does not overwrite the first.
        wqe.fail(CompletionStatus.LOCAL_MEMORY).progress(2).otherKey(3).rkey(4).flags(WrFlags.UNSIGNALLED.withInline());
        assertEquals(
                "LOCAL_MEMORY 2 3 4", wqe.failure() + " " + wqe.progress() + " " + wqe.otherKey() + " " + wqe.rkey());
        assertEquals(2, wqe.elements());
        assertEquals(WorkOpcode.READ_WITH_INVALIDATE, wqe.opcode());
        assertEquals(
                0,
                text(wqe.noElements().clear(WorkOpcode.SEND, WrFlags.SIGNALLED))
                        .compareTo("0 SEND 0 0 0 0 0 0 - 0 0 0 0"));
    }

    @Test
    void wqe_flags_standForThemselves() {
        WrFlags none = WrFlags.UNSIGNALLED;
        Wqe wqe = Wqe.template(0, 0);
        assertEquals("00000", flags(wqe.clear(WorkOpcode.RECEIVE, none)));
        assertEquals("10000", flags(wqe.flags(WrFlags.SIGNALLED)));
        assertEquals("01000", flags(wqe.flags(none.withFence())));
        assertEquals("00100", flags(wqe.flags(none.withSolicited())));
        assertEquals("00010", flags(wqe.flags(none.withInline())));
        assertEquals("00001", flags(wqe.flags(none.withNotify())));
        assertEquals("10101", flags(wqe.flags(WrFlags.SIGNALLED.withSolicited().withNotify())));
        assertEquals(WorkOpcode.RECEIVE, wqe.opcode());
        assertEquals(0, wqe.elements());
        assertEquals(0, wqe.length());
    }

    private static String flags(Wqe w) {
        return (w.signalled() ? "1" : "0")
                + (w.fenced() ? "1" : "0")
                + (w.solicited() ? "1" : "0")
                + (w.inline() ? "1" : "0")
                + (w.notifies() ? "1" : "0");
    }

    @ParameterizedTest
    @EnumSource
    void wqe_everyOpcode_isKept(WorkOpcode opcode) {
        assertEquals(
                opcode,
                Wqe.template(0, 0).clear(opcode, WrFlags.SIGNALLED.withInline()).opcode());
    }

    @Test
    void wqe_listTooLong_isRefusedAndChangesNoLength() {
        Wqe wqe = Wqe.template(2, 0).clear(WorkOpcode.SEND, WrFlags.SIGNALLED).addElement(1, 0, Integer.MAX_VALUE);
        assertEquals(Integer.MAX_VALUE, wqe.length());
        assertThrows(ArithmeticException.class, () -> wqe.addElement(1, 0, 1));
        assertEquals(1, wqe.elements());
        assertEquals(Integer.MAX_VALUE, wqe.length());
    }

    @Test
    void wqe_strides_holdTheListAndLittleMore() {
        assertEquals(64, Wqe.strideBytes(0, 0));
        assertEquals(80, Wqe.strideBytes(1, 0));
        assertEquals(80, Wqe.strideBytes(1, 16));
        assertEquals(128, Wqe.strideBytes(4, 64));
        assertEquals(144, Wqe.strideBytes(5, 64));
        assertEquals(144, Wqe.strideBytes(1, 65));
    }

    @Test
    void wqe_inlineBytes_lieInItsSlot() {
        WorkQueue queue = new WorkQueue(4, Wqe.strideBytes(1, 24));
        Wqe wqe = new Wqe();
        assertTrue(queue.claim(wqe));
        queue.written();
        assertTrue(queue.claim(wqe));
        wqe.clear(WorkOpcode.SEND, WrFlags.SIGNALLED.withInline()).inlineLength(24);
        assertEquals(0, wqe.elements());
        assertEquals(24, wqe.length());
        assertEquals(queue.stride() + Wqe.HEADER_BYTES, wqe.inlineOffset());
        wqe.bytes().set(ValueLayout.JAVA_LONG, wqe.inlineOffset() + 8, -77);
        assertEquals(-77, wqe.elementOffset(0));
    }

    @Test
    void wqe_copied_isTheSameAsFarAsSaid() {
        Wqe from = full(Wqe.template(3, 0));
        Wqe to = Wqe.template(3, 0).clear(WorkOpcode.SEND, WrFlags.SIGNALLED);
        to.addElement(5, 6, 7).addElement(8, 9, 10);
        to.copyFrom(from, Wqe.ELEMENT_BYTES);
        assertEquals(text(from), text(to));
        assertEquals(-11, to.elementOffset(0));
        assertEquals(9, to.elementOffset(1));
        to.copyFrom(from, Wqe.ELEMENT_BYTES + 9);
        assertEquals(1L << 40, to.elementOffset(1));
    }

    @Test
    void cqe_everyPart_keepsItsValue() {
        long[] words = new long[2 * Cqe.WORDS];
        Cqe cqe = new Cqe().wrap(words, Cqe.WORDS);
        cqe.fill(-1, CompletionStatus.PROTOCOL, CompletionOpcode.RECEIVE_WRITE_IMMEDIATE, -2, 1L << 40);
        assertEquals("0 0 false false false false", extras(cqe));
        assertEquals("-1 PROTOCOL RECEIVE_WRITE_IMMEDIATE -2 1099511627776", text(cqe));
        cqe.source(0x00ff_ff01, -4, 0x5555_5556, false);
        cqe.immediate(-5).invalidatedKey(-6).solicitedEvent();
        assertEquals("-5 -6 true true true false", extras(cqe));
        assertEquals(
                "16776961 -4 1431655766",
                cqe.sourceQueuePairNumber() + " " + cqe.sourceLid() + " " + cqe.datagramDetails());
        cqe.source(7, 8, 9, true);
        assertEquals("-5 -6 true true true true", extras(cqe));
        assertEquals("7 8 9", cqe.sourceQueuePairNumber() + " " + cqe.sourceLid() + " " + cqe.datagramDetails());
        assertEquals("-1 PROTOCOL RECEIVE_WRITE_IMMEDIATE -2 1099511627776", text(cqe));
        // The extras of an entry are not seen when its place is used again.
        cqe.fill(3, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 4, 5);
        assertEquals("0 0 false false false false", extras(cqe));
        assertEquals("3 SUCCESS SEND 4 5", text(cqe));
        assertEquals(0, words[0]);
    }

    private static String text(Cqe c) {
        return c.wrId() + " " + c.status() + " " + c.opcode() + " " + c.queuePairNumber() + " " + c.byteCount();
    }

    private static String extras(Cqe c) {
        return c.immediate() + " " + c.invalidatedKey() + " " + c.hasImmediate() + " " + c.hasInvalidatedKey() + " "
                + c.solicited() + " " + c.hasGlobalHeader();
    }

    @ParameterizedTest
    @EnumSource
    void cqe_everyStatus_isKept(CompletionStatus status) {
        Cqe cqe = new Cqe().wrap(new long[Cqe.WORDS], 0);
        for (CompletionOpcode opcode : CompletionOpcode.values()) {
            cqe.fill(1, status, opcode, -1, 0).solicitedEvent();
            assertEquals(status, cqe.status());
            assertEquals(opcode, cqe.opcode());
        }
        assertFalse(cqe.hasImmediate());
    }
}
