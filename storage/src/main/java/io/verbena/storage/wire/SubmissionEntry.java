package io.verbena.storage.wire;

import java.util.HexFormat;

/**
 * A submission queue entry (SQE): the first 64 bytes of a command capsule. Fabrics commands have their type where others have the namespace.
 *
 * <pre>
 *   0  OPC | FLAGS (PSDT 7:6, fused 1:0) | CID
 *   4  NSID, or FCTYPE in its first byte
 *   8  CDW2, CDW3, metadata pointer (16 bytes)
 *  24  SGL: address or offset (8)
 *  32       length (4, or 3 when keyed), key (4 from 35), type (39)
 *  40  CDW10 .. CDW15
 * </pre>
 */
public final class SubmissionEntry extends Structure<SubmissionEntry> {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    @Override
    SubmissionEntry self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The opcode. */
    public int opcode() {
        return u8(0);
    }

    /** Writes {@link #opcode()}. */
    public SubmissionEntry opcode(int value) {
        return u8(0, value);
    }

    /** PSDT in bits 7:6, fused operation in bits 1:0. */
    public int flags() {
        return u8(1);
    }

    /** Writes {@link #flags()}. */
    public SubmissionEntry flags(int value) {
        return u8(1, value);
    }

    /** CID: any value that is not in use. */
    public int commandId() {
        return u16(2);
    }

    /** Writes {@link #commandId()}. */
    public SubmissionEntry commandId(int value) {
        return u16(2, value);
    }

    /** NSID. */
    public int namespaceId() {
        return u32(4);
    }

    /** Writes {@link #namespaceId()}. */
    public SubmissionEntry namespaceId(int value) {
        return u32(4, value);
    }

    /** FCTYPE of a Fabrics command. */
    public int fabricsType() {
        return u8(4);
    }

    /** Writes {@link #fabricsType()}. */
    public SubmissionEntry fabricsType(int value) {
        return u8(4, value);
    }

    /** Address of keyed data, offset of in-capsule data. */
    public long sglAddress() {
        return u64(24);
    }

    /** Writes {@link #sglAddress()}. */
    public SubmissionEntry sglAddress(long value) {
        return u64(24, value);
    }

    /** Length of data that are not keyed. */
    public int sglLengthField() {
        return u32(32);
    }

    /** Writes {@link #sglLengthField()}. */
    public SubmissionEntry sglLengthField(int value) {
        return u32(32, value);
    }

    /** Key of keyed data. */
    public int sglKey() {
        return u32(35);
    }

    /** Writes {@link #sglKey()}. */
    public SubmissionEntry sglKey(int value) {
        return u32(35, value);
    }

    /** Type and subtype of the data pointer. */
    public int sglType() {
        return u8(39);
    }

    /** Writes {@link #sglType()}. */
    public SubmissionEntry sglType(int value) {
        return u8(39, value);
    }

    /** Command double word 10. */
    public int cdw10() {
        return u32(40);
    }

    /** Writes {@link #cdw10()}. */
    public SubmissionEntry cdw10(int value) {
        return u32(40, value);
    }

    /** Command double word 11. */
    public int cdw11() {
        return u32(44);
    }

    /** Writes {@link #cdw11()}. */
    public SubmissionEntry cdw11(int value) {
        return u32(44, value);
    }

    /** Command double word 12. */
    public int cdw12() {
        return u32(48);
    }

    /** Writes {@link #cdw12()}. */
    public SubmissionEntry cdw12(int value) {
        return u32(48, value);
    }

    /** Command double word 13. */
    public int cdw13() {
        return u32(52);
    }

    /** Writes {@link #cdw13()}. */
    public SubmissionEntry cdw13(int value) {
        return u32(52, value);
    }

    /** Command double word 14. */
    public int cdw14() {
        return u32(56);
    }

    /** Writes {@link #cdw14()}. */
    public SubmissionEntry cdw14(int value) {
        return u32(56, value);
    }

    /** Command double word 15. */
    public int cdw15() {
        return u32(60);
    }

    /** Writes {@link #cdw15()}. */
    public SubmissionEntry cdw15(int value) {
        return u32(60, value);
    }

    /** SLBA of a command on blocks. */
    public long firstBlock() {
        return u64(40);
    }

    /** Writes {@link #firstBlock()}. */
    public SubmissionEntry firstBlock(long value) {
        return u64(40, value);
    }

    /** NLB of a command on blocks, zero-based. */
    public int blocksMinusOne() {
        return u16(48);
    }

    /** Writes {@link #blocksMinusOne()}. */
    public SubmissionEntry blocksMinusOne(int value) {
        return u16(48, value);
    }

    /** RECFMT of Connect. */
    public int recordFormat() {
        return u16(40);
    }

    /** Writes {@link #recordFormat()}. */
    public SubmissionEntry recordFormat(int value) {
        return u16(40, value);
    }

    /** QID of Connect. */
    public int queueId() {
        return u16(42);
    }

    /** Writes {@link #queueId()}. */
    public SubmissionEntry queueId(int value) {
        return u16(42, value);
    }

    /** SQSIZE of Connect, zero-based. */
    public int queueSizeMinusOne() {
        return u16(44);
    }

    /** Writes {@link #queueSizeMinusOne()}. */
    public SubmissionEntry queueSizeMinusOne(int value) {
        return u16(44, value);
    }

    /** CATTR of Connect. */
    public int connectAttributes() {
        return u8(46);
    }

    /** Writes {@link #connectAttributes()}. */
    public SubmissionEntry connectAttributes(int value) {
        return u8(46, value);
    }

    /** KATO of Connect, in ms. */
    public int keepAliveMs() {
        return u32(48);
    }

    /** Writes {@link #keepAliveMs()}. */
    public SubmissionEntry keepAliveMs(int value) {
        return u32(48, value);
    }

    /** ATTRIB of a property command; bit 0: 8 bytes. */
    public int propertyAttributes() {
        return u8(40);
    }

    /** Writes {@link #propertyAttributes()}. */
    public SubmissionEntry propertyAttributes(int value) {
        return u8(40, value);
    }

    /** OFST of a property command. */
    public int propertyOffset() {
        return u32(44);
    }

    /** Writes {@link #propertyOffset()}. */
    public SubmissionEntry propertyOffset(int value) {
        return u32(44, value);
    }

    /** VALUE of Property Set. */
    public long propertyValue() {
        return u64(48);
    }

    /** Writes {@link #propertyValue()}. */
    public SubmissionEntry propertyValue(long value) {
        return u64(48, value);
    }

    /** Zeroes the structure. */
    public SubmissionEntry clear() {
        return zero(LENGTH);
    }

    /** PSDT 01: the data pointer is an SGL. NVMe over Fabrics allows nothing else. */
    public static final int FLAGS_SGL = 0x40;

    /** CATTR bit 2: the host ignores the head of the submission queue. */
    public static final int NO_FLOW_CONTROL = 4;

    /** CDW12 bit 30: the data are durable before the command completes. */
    public static final int FORCE_UNIT_ACCESS = 1 << 30;

    /** CDW11 bit 2 of Dataset Management, AD: the contents of the ranges are no longer needed. */
    public static final int DEALLOCATE = 4;

    /** Where the data of the command are. */
    public DataPointer dataPointer() {
        return DataPointer.of(sglType());
    }

    /** Number of bytes of data, unsigned: 24 bits when keyed. */
    public long sglLength() {
        return dataPointer().keyed() ? sglLengthField() & 0xff_ffffL : Integer.toUnsignedLong(sglLengthField());
    }

    /** Writes a data pointer to memory of the host. */
    public SubmissionEntry keyed(long address, int lengthBytes, int key, boolean invalidate) {
        sglAddress(address).sglLengthField(lengthBytes & 0xff_ffff).sglKey(key);
        return sglType((invalidate ? DataPointer.KEYED_INVALIDATE : DataPointer.KEYED).code());
    }

    /** Writes a data pointer to data that follow in the capsule. */
    public SubmissionEntry inCapsule(long offset, int lengthBytes) {
        return sglAddress(offset).sglLengthField(lengthBytes).u32(36, 0).sglType(DataPointer.IN_CAPSULE.code());
    }

    /** Whether {@link #FORCE_UNIT_ACCESS} is set. */
    public boolean forceUnitAccess() {
        return (cdw12() & FORCE_UNIT_ACCESS) != 0;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        HexFormat hex = HexFormat.of();
        out.append("SQE opc=0x").append(hex.toHexDigits((byte) opcode()));
        if (opcode() == AdminOpcode.FABRICS.code()) {
            out.append(' ').append(FabricsType.of(fabricsType()));
        } else {
            out.append(" nsid=").append(Integer.toUnsignedLong(namespaceId()));
        }
        out.append(" cid=0x").append(hex.toHexDigits((short) commandId()));
        out.append(" sgl=").append(dataPointer()).append(" length=").append(sglLength());
        out.append(" cdw10=0x").append(hex.toHexDigits(cdw10()));
        out.append(" cdw11=0x").append(hex.toHexDigits(cdw11()));
        return out.append(" cdw12=0x").append(hex.toHexDigits(cdw12()));
    }
}
