package io.verbena.storage.wire;

/**
 * The data of Connect.
 *
 * <pre>
 *    0  HOSTID (16)
 *   16  CNTLID
 *  256  SUBNQN (256)
 *  512  HOSTNQN (256)
 * </pre>
 */
public final class ConnectData extends Structure<ConnectData> {
    /** Length in bytes. */
    public static final int LENGTH = 1024;

    /** The result of a Connect whose SUBNQN is wrong: bit 16, the parameter is in the data; and its offset. */
    public static final int WRONG_SUBSYSTEM = 0x1_0100;

    /** The same for HOSTNQN. */
    public static final int WRONG_HOST_NAME = 0x1_0200;

    /** The same for HOSTID. */
    public static final int WRONG_HOST_ID = 0x1_0000;

    @Override
    ConnectData self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** HOSTID. */
    public byte[] hostId() {
        return bytes(0, 16);
    }

    /** Writes {@link #hostId()}. */
    public ConnectData hostId(byte[] value) {
        return bytes(0, value);
    }

    /** CNTLID: 0xffff asks for any. */
    public int controllerId() {
        return u16(16);
    }

    /** Writes {@link #controllerId()}. */
    public ConnectData controllerId(int value) {
        return u16(16, value);
    }

    /** SUBNQN. */
    public String subsystemName() {
        return text(256, 256).strip();
    }

    /** Writes {@link #subsystemName()}. */
    public ConnectData subsystemName(String value) {
        return text(256, 256, value, '\0');
    }

    /** HOSTNQN. */
    public String hostName() {
        return text(512, 256).strip();
    }

    /** Writes {@link #hostName()}. */
    public ConnectData hostName(String value) {
        return text(512, 256, value, '\0');
    }

    /** Zeroes the structure. */
    public ConnectData clear() {
        return zero(LENGTH);
    }

    /** CNTLID of the first Connect. */
    public static final int ANY_CONTROLLER = 0xffff;

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("controllerId=")
                .append(controllerId())
                .append(" subsystemName=")
                .append(subsystemName())
                .append(" hostName=")
                .append(hostName());
    }
}
