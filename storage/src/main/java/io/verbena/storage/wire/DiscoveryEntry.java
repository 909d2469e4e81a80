package io.verbena.storage.wire;

/**
 * One subsystem of the discovery log page.
 *
 * <pre>
 *   0 TRTYPE | 1 ADRFAM | 2 SUBTYPE | 3 TREQ | 4 PORTID | 6 CNTLID | 8 ASQSZ
 *  32 TRSVCID (32) | 256 SUBNQN (256) | 512 TRADDR (256) | 768 RDMA_QPTYPE | 769 RDMA_PRTYPE | 770 RDMA_CMS
 * </pre>
 */
public final class DiscoveryEntry extends Structure<DiscoveryEntry> {
    /** Length in bytes. */
    public static final int LENGTH = 1024;

    @Override
    DiscoveryEntry self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** TRTYPE: 1 RDMA. */
    public int transport() {
        return u8(0);
    }

    /** Writes {@link #transport()}. */
    public DiscoveryEntry transport(int value) {
        return u8(0, value);
    }

    /** ADRFAM: 1 IPv4, 2 IPv6. */
    public int addressFamily() {
        return u8(1);
    }

    /** Writes {@link #addressFamily()}. */
    public DiscoveryEntry addressFamily(int value) {
        return u8(1, value);
    }

    /** SUBTYPE: 2 storage, 3 this discovery subsystem. */
    public int kind() {
        return u8(2);
    }

    /** Writes {@link #kind()}. */
    public DiscoveryEntry kind(int value) {
        return u8(2, value);
    }

    /** TREQ. */
    public int requirements() {
        return u8(3);
    }

    /** Writes {@link #requirements()}. */
    public DiscoveryEntry requirements(int value) {
        return u8(3, value);
    }

    /** PORTID. */
    public int port() {
        return u16(4);
    }

    /** Writes {@link #port()}. */
    public DiscoveryEntry port(int value) {
        return u16(4, value);
    }

    /** CNTLID: 0xffff, any. */
    public int controllerId() {
        return u16(6);
    }

    /** Writes {@link #controllerId()}. */
    public DiscoveryEntry controllerId(int value) {
        return u16(6, value);
    }

    /** ASQSZ. */
    public int adminQueueSize() {
        return u16(8);
    }

    /** Writes {@link #adminQueueSize()}. */
    public DiscoveryEntry adminQueueSize(int value) {
        return u16(8, value);
    }

    /** TRSVCID: the port number. */
    public String service() {
        return text(32, 32).strip();
    }

    /** Writes {@link #service()}. */
    public DiscoveryEntry service(String value) {
        return text(32, 32, value, ' ');
    }

    /** SUBNQN. */
    public String subsystemName() {
        return text(256, 256).strip();
    }

    /** Writes {@link #subsystemName()}. */
    public DiscoveryEntry subsystemName(String value) {
        return text(256, 256, value, '\0');
    }

    /** TRADDR. */
    public String address() {
        return text(512, 256).strip();
    }

    /** Writes {@link #address()}. */
    public DiscoveryEntry address(String value) {
        return text(512, 256, value, ' ');
    }

    /** RDMA_QPTYPE: 1 reliable connection. */
    public int queuePairType() {
        return u8(768);
    }

    /** Writes {@link #queuePairType()}. */
    public DiscoveryEntry queuePairType(int value) {
        return u8(768, value);
    }

    /** RDMA_PRTYPE: 1 none. */
    public int providerType() {
        return u8(769);
    }

    /** Writes {@link #providerType()}. */
    public DiscoveryEntry providerType(int value) {
        return u8(769, value);
    }

    /** RDMA_CMS: 1 RDMA CM. */
    public int connectionService() {
        return u8(770);
    }

    /** Writes {@link #connectionService()}. */
    public DiscoveryEntry connectionService(int value) {
        return u8(770, value);
    }

    /** Zeroes the structure. */
    public DiscoveryEntry clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("transport=")
                .append(transport())
                .append(" addressFamily=")
                .append(addressFamily())
                .append(" kind=")
                .append(kind())
                .append(" requirements=")
                .append(requirements())
                .append(" port=")
                .append(port())
                .append(" controllerId=")
                .append(controllerId());
    }
}
