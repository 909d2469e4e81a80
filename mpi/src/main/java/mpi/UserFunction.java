package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A reduction of the program; override one of the two methods. */
public abstract class UserFunction {

    /** Combines arrays of the type: {@code inOutVec[i] = inVec[i] op inOutVec[i]}. */
    public void call(Object inVec, Object inOutVec, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException("a UserFunction must override one of the methods named call");
    }

    /** Combines bytes; by default through arrays of the type. */
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) throws MPIException {
        in.order(ByteOrder.nativeOrder());
        inOut.order(ByteOrder.nativeOrder());
        int elements = count * datatype.getSize() / datatype.base().bytes();
        switch (datatype.base()) {
            case INT -> {
                int[] other = new int[elements];
                int[] own = new int[elements];
                in.asIntBuffer().get(other);
                inOut.asIntBuffer().get(own);
                call(other, own, count, datatype);
                inOut.asIntBuffer().put(own);
            }
            case LONG -> {
                long[] other = new long[elements];
                long[] own = new long[elements];
                in.asLongBuffer().get(other);
                inOut.asLongBuffer().get(own);
                call(other, own, count, datatype);
                inOut.asLongBuffer().put(own);
            }
            case DOUBLE -> {
                double[] other = new double[elements];
                double[] own = new double[elements];
                in.asDoubleBuffer().get(other);
                inOut.asDoubleBuffer().get(own);
                call(other, own, count, datatype);
                inOut.asDoubleBuffer().put(own);
            }
            case FLOAT -> {
                float[] other = new float[elements];
                float[] own = new float[elements];
                in.asFloatBuffer().get(other);
                inOut.asFloatBuffer().get(own);
                call(other, own, count, datatype);
                inOut.asFloatBuffer().put(own);
            }
            case SHORT -> {
                short[] other = new short[elements];
                short[] own = new short[elements];
                in.asShortBuffer().get(other);
                inOut.asShortBuffer().get(own);
                call(other, own, count, datatype);
                inOut.asShortBuffer().put(own);
            }
            case CHAR -> {
                char[] other = new char[elements];
                char[] own = new char[elements];
                in.asCharBuffer().get(other);
                inOut.asCharBuffer().get(own);
                call(other, own, count, datatype);
                inOut.asCharBuffer().put(own);
            }
            default -> {
                byte[] other = new byte[in.remaining()];
                byte[] own = new byte[inOut.remaining()];
                in.duplicate().get(other);
                inOut.duplicate().get(own);
                call(other, own, count, datatype);
                inOut.duplicate().put(own);
            }
        }
    }
}
