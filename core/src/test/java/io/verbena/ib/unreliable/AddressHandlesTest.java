package io.verbena.ib.unreliable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.base.PacketPath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressHandlesTest {

    private static final int MOST = 1_000;

    private static PacketPath path(int number) {
        return new PacketPath(1, number, 7, 0);
    }

    @Test
    void table_growsUpToItsLimit_allNumbersAreFound() {
        AddressHandles handles = new AddressHandles(MOST);
        List<PacketPath> paths = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            paths.add(path(i));
            numbers.add(handles.add(paths.get(i)));
        }
        assertEquals(MOST, new HashSet<>(numbers).size());
        for (int i = 0; i < MOST; i++) {
            assertSame(paths.get(i), handles.path(numbers.get(i)));
        }
        assertThrows(IllegalStateException.class, () -> handles.add(path(0)));
    }

    @Test
    void releasedNumber_afterGrowthAndReuse_isNotFound() {
        AddressHandles handles = new AddressHandles(MOST);
        int first = handles.add(path(1));
        for (int i = 0; i < MOST / 2; i++) {
            handles.add(path(2));
        }
        handles.release(first);
        handles.release(first);
        assertFalse(handles.has(first));
        for (int i = MOST / 2; i < MOST; i++) {
            assertNotEquals(first, handles.add(path(3)));
        }
        assertFalse(handles.has(first));
    }

    @Test
    void releasedNumber_afterManyHandles_isNotFound() {
        AddressHandles handles = new AddressHandles(1 << 14);
        int first = handles.add(path(1));
        handles.release(first);
        for (int i = 0; i < 1 << 19; i++) {
            int number = handles.add(path(2));
            assertFalse(handles.has(first));
            handles.release(number);
        }
    }
}
