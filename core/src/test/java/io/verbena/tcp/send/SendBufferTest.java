package io.verbena.tcp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.base.TransmitList;
import io.verbena.tcp.segment.BufferPool;
import org.junit.jupiter.api.Test;

class SendBufferTest {

    private static final int SEGMENT = 1000;

    private final SendBuffer buffer = new SendBuffer(new BufferPool(1 << 16), 1);

    private void append(int... units) {
        TransmitList list = new TransmitList(1 << 16);
        for (int unit : units) {
            list.reserve(unit);
            list.endUnit(0);
        }
        buffer.append(list, SEGMENT);
    }

    @Test
    void shortUnits_segmentsEndWhereTheyDo() {
        append(400, 500, 300);
        assertEquals(901, buffer.segmentEnd(1, SEGMENT));
        assertEquals(1201, buffer.segmentEnd(901, SEGMENT));
    }

    @Test
    void longUnits_segmentsAreFull() {
        append(1500);
        append(1500);
        assertEquals(1001, buffer.segmentEnd(1, SEGMENT));
        assertEquals(2001, buffer.segmentEnd(1001, SEGMENT));
        assertEquals(3001, buffer.segmentEnd(2001, SEGMENT));
    }

    @Test
    void shortUnitAfterLongOne_arrivesWholeInOneSegment() {
        append(1500, 600, 1500);
        assertEquals(1001, buffer.segmentEnd(1, SEGMENT));
        assertEquals(1501, buffer.segmentEnd(1001, SEGMENT));
        assertEquals(2101, buffer.segmentEnd(1501, SEGMENT));
        assertEquals(3101, buffer.segmentEnd(2101, SEGMENT));
    }
}
