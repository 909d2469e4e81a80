package io.verbena.fabric.mad;

import io.verbena.wire.Header;

/**
 * NodeInfo: what a node is.
 *
 * <pre>
 *    byte bits  field
 *       0    8  baseVersion
 *       1    8  classVersion
 *       2    8  nodeType
 *       3    8  numPorts
 *       4   64  systemImageGuid
 *      12   64  nodeGuid
 *      20   64  portGuid
 *      28   16  partitionCap
 *      30   16  deviceId
 *      32   32  revision
 *      36    8  localPortNum
 *      37   24  vendorId
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 14.2.5.3.
 */
public final class NodeInfo extends Header<NodeInfo> {
    /** Length in bytes. */
    public static final int LENGTH = 40;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** BaseVersion: 1. */
    public int baseVersion() {
        return u8(0);
    }

    public NodeInfo baseVersion(int value) {
        return u8(0, value);
    }

    /** ClassVersion: 1. */
    public int classVersion() {
        return u8(1);
    }

    public NodeInfo classVersion(int value) {
        return u8(1, value);
    }

    /** NodeType: 1 adapter, 2 switch, 3 router. */
    public int nodeType() {
        return u8(2);
    }

    public NodeInfo nodeType(int value) {
        return u8(2, value);
    }

    /** NumPorts: the number of external ports. */
    public int numPorts() {
        return u8(3);
    }

    public NodeInfo numPorts(int value) {
        return u8(3, value);
    }

    /** SystemImageGUID. */
    public long systemImageGuid() {
        return u64(4);
    }

    public NodeInfo systemImageGuid(long value) {
        return u64(4, value);
    }

    /** NodeGUID. */
    public long nodeGuid() {
        return u64(12);
    }

    public NodeInfo nodeGuid(long value) {
        return u64(12, value);
    }

    /** PortGUID of the port that received the request. */
    public long portGuid() {
        return u64(20);
    }

    public NodeInfo portGuid(long value) {
        return u64(20, value);
    }

    /** PartitionCap: entries of the P_Key table. */
    public int partitionCap() {
        return u16(28);
    }

    public NodeInfo partitionCap(int value) {
        return u16(28, value);
    }

    /** DeviceID. */
    public int deviceId() {
        return u16(30);
    }

    public NodeInfo deviceId(int value) {
        return u16(30, value);
    }

    /** Revision. */
    public int revision() {
        return u32(32);
    }

    public NodeInfo revision(int value) {
        return u32(32, value);
    }

    /** LocalPortNum: the port that received the request. */
    public int localPortNum() {
        return u8(36);
    }

    public NodeInfo localPortNum(int value) {
        return u8(36, value);
    }

    /** VendorID. */
    public int vendorId() {
        return u24(37);
    }

    public NodeInfo vendorId(int value) {
        return u24(37, value);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("NodeInfo type=")
                .append(nodeType())
                .append(" ports=")
                .append(numPorts())
                .append(" guid=0x")
                .append(Long.toHexString(nodeGuid()));
    }
}
