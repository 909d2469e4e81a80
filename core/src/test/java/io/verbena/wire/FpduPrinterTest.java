package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FpduPrinterTest {
    private final FpduPrinter printer = new FpduPrinter();

    private List<String> lines(byte[] stream, long at) {
        MemorySegment segment = MemorySegment.ofArray(stream);
        List<String> lines = new ArrayList<>();
        while (at < stream.length) {
            lines.add(printer.describe(segment, at, stream.length - at, new StringBuilder())
                    .toString());
            at += FpduHeader.fpduLength(new FpduHeader().wrap(segment, at).ulpduLength());
        }
        return lines;
    }

    @Test
    void initiatorOfSample_printed_oneLineEach() {
        assertEquals(
                List.of(
                        "Send last msn=1 mo=0 len=16",
                        "Write stag=0x00000077 to=0x0000000000001000 len=1400",
                        "Write last stag=0x00000077 to=0x0000000000001578 len=3",
                        "Send SE last msn=2 mo=0 len=5",
                        "Send Inv 0x00001234 last msn=3 mo=0 len=0",
                        "Send SE Inv 0x00001234 last msn=4 mo=0 len=6",
                        "ReadRequest last msn=1 mo=0 len=28 sink=0x00000011+0x0000000000000022 size=1500"
                                + " src=0x00000033+0x0000000000000044",
                        "AtomicRequest last msn=2 mo=0 len=52 CmpSwap id=7 stag=0x00000055 to=0x0000000000000068"
                                + " data=0x0000000000000001 mask=0xffffffffffffffff compare=0x0000000000000002"
                                + " compareMask=0xffffffffffffffff",
                        "Immediate last msn=5 mo=0 len=8 data=0x0000000000000000",
                        "Immediate SE last msn=6 mo=0 len=8 data=0x0000000000000000"),
                lines(new SampleConversation(false, false, 1448).initiator, 24));
    }

    @Test
    void responderOfSample_printed_oneLineEach() {
        assertEquals(
                List.of(
                        "ReadResponse last stag=0x00000011 to=0x0000000000000022 len=1500",
                        "AtomicResponse last msn=1 mo=0 len=12 id=7 value=0x0000000000000002",
                        "Terminate last msn=1 mo=0 len=24 DDP_UNTAGGED_NO_BUFFER (1/2/0x02) segment=34"),
                lines(new SampleConversation(false, false, 1448).responder, 24));
    }

    @Test
    void malformed_printed_saysWhatIsWrong() {
        assertEquals(
                List.of(
                        "BAD TOO_SHORT: too short len=0",
                        "BAD UNKNOWN_OPCODE: Reserved 0xd last qn=0 msn=0 mo=0 len=0",
                        "BAD WRONG_QUEUE: Send last qn=3 msn=0 mo=0 len=0",
                        "Terminate last msn=0 mo=0 len=1 TOO_SHORT UNKNOWN (15/15/0xff)"),
                lines(
                        new FpduStream(false)
                                .ulpdu()
                                .ulpdu(Bytes.hex("414d" + "00".repeat(16)))
                                .ulpdu(Bytes.hex("4143" + "00000000" + "00000003" + "00".repeat(8)))
                                .ulpdu(Bytes.hex("4147" + "00000000" + "00000002" + "00".repeat(9)))
                                .bytes(),
                        0));
    }

    @Test
    void cutAnywhere_printed_saysSo() {
        byte[] stream = new FpduStream(false)
                .untagged(RdmapOpcode.SEND, true, 1, 0, (byte) 1)
                .bytes();
        for (int available = 0; available < stream.length; available++) {
            String line = printer.describe(MemorySegment.ofArray(stream), 0, available, new StringBuilder())
                    .toString();
            String expected = available < 2
                    ? "FPDU cut before its length field"
                    : available < 21
                            ? "FPDU cut: ulpdu=19 available=" + available
                            : "Send last msn=1 mo=0 len=1 (pad or CRC field not yet there)";
            assertEquals(expected, line);
        }
    }
}
