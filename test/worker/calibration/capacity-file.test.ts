import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { keepCapacity, keptCapacity } from '../../../worker/calibration/capacity-file.ts';

const CAPACITY = { threadRate: 41_000, measuredUs: 1_767_225_600_000_000 };

describe('what a machine was measured to reach', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'broadside-capacity-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('is known again', () => {
    const file = path.join(folder, 'deep', 'capacity.json');
    assert.equal(keptCapacity(file), undefined);
    keepCapacity(CAPACITY, file);
    assert.deepEqual(keptCapacity(file), CAPACITY);
  });

  const rows: [that: string, text: string][] = [
    ['what another version has measured, or other cores', JSON.stringify({ '0.0.1, Node 1': CAPACITY })],
    ['a file that is cut off', '{"0.'],
    ['a rate of nothing', JSON.stringify({ any: { threadRate: 0 } })],
  ];
  for (const [that, text] of rows) {
    test(`is not: ${that}`, async () => {
      const file = path.join(folder, 'other.json');
      await writeFile(file, text);
      assert.equal(keptCapacity(file), undefined);
    });
  }

  test('where it cannot be kept, nothing breaks', async () => {
    const notFolder = path.join(folder, 'file');
    await writeFile(notFolder, '');
    keepCapacity(CAPACITY, path.join(notFolder, 'capacity.json'));
    assert.equal(keptCapacity(path.join(notFolder, 'capacity.json')), undefined);
  });
});
