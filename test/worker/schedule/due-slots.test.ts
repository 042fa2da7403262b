import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DueSlots } from '../../../worker/schedule/due-slots.ts';

test('slots come out in the order in which they are due, whatever goes in in between', () => {
  const due = fc.integer({ min: 0, max: 50 });
  fc.assert(
    fc.property(fc.array(fc.option(due, { nil: 'take' as const }), { maxLength: 200 }), (doings) => {
      const slots = new DueSlots(200);
      const model: { slot: number; dueUs: number }[] = [];
      doings.forEach((doing, slot) => {
        if (doing !== 'take') {
          slots.add(slot, doing);
          model.push({ slot, dueUs: doing });
        } else if (model.length > 0) {
          assert.equal(slots.firstUs, Math.min(...model.map(({ dueUs }) => dueUs)));
          const { firstUs } = slots;
          const taken = slots.take();
          const place = model.findIndex((each) => each.slot === taken);
          assert.equal(model[place]?.dueUs, firstUs);
          model.splice(place, 1);
        }
        assert.equal(slots.size, model.length);
      });
      if (model.length === 0) assert.equal(slots.firstUs, Number.POSITIVE_INFINITY);
    }),
  );
});
