/**
 * A reporter for node:test that writes one JSON object at the end: how many tests were carried out, and which were
 * skipped, with the reason. node:test itself calls a run without a single test a success.
 */
export default async function* summary(events) {
  let executed = 0;
  const skipped = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // A file that holds no test counts as one test of the file's name.
    if (data.name === data.file) continue;
    if (data.skip !== undefined) {
      skipped.push({
        name: data.name,
        reason: typeof data.skip === 'string' ? data.skip : 'no reason given',
      });
    } else if (data.details.type !== 'suite') executed++;
  }
  yield JSON.stringify({ executed, skipped });
}
