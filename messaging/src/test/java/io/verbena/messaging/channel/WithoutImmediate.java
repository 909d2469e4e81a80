package io.verbena.messaging.channel;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.WorkOpcode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.EnumSet;
import java.util.Set;

/** An RNIC that states the operations of an iWARP adapter: those with immediate data are missing. */
final class WithoutImmediate {

    private WithoutImmediate() {}

    static Rnic over(Rnic rnic) {
        return (Rnic) Proxy.newProxyInstance(
                WithoutImmediate.class.getClassLoader(), new Class<?>[] {Rnic.class}, (_, method, arguments) -> {
                    try {
                        Object result = method.invoke(rnic, arguments);
                        return result instanceof RnicAttributes attributes ? without(attributes) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static RnicAttributes without(RnicAttributes attributes) throws ReflectiveOperationException {
        RecordComponent[] components = RnicAttributes.class.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = components[i].getAccessor().invoke(attributes);
            if (components[i].getName().equals("operations")) {
                Set<WorkOpcode> left = EnumSet.copyOf(attributes.operations());
                left.remove(WorkOpcode.WRITE_WITH_IMMEDIATE);
                left.remove(WorkOpcode.SEND_WITH_IMMEDIATE);
                values[i] = left;
            }
        }
        return RnicAttributes.class.getDeclaredConstructor(types).newInstance(values);
    }
}
