package io.verbena.fabric.mad;

import io.verbena.wire.Header;
import java.nio.charset.StandardCharsets;

/**
 * NodeDescription: the name of a node, UTF-8 that ends with a zero or after 64 bytes.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.2.
 */
public final class NodeDescription extends Header<NodeDescription> {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The name. Bytes that are not UTF-8 are replaced. */
    public String text() {
        byte[] bytes = new byte[LENGTH];
        int length = 0;
        while (length < LENGTH && u8(length) != 0) {
            bytes[length] = (byte) u8(length);
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Writes the name; what exceeds 64 bytes is cut off. */
    public NodeDescription text(String name) {
        return bytes(0, LENGTH, name.getBytes(StandardCharsets.UTF_8));
    }
}
