"""One rank of a program that loads by accelerate: a JSON line of what every loader came to."""

import json

import numpy as np
import torch.utils.data
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration

import mmeval_like as mm

SIZES = (*range(1, 15), 23, 24, 25, 31)


class Sum(mm.BaseMetric):
    """The sum of a number for each sample from which the samples can be told."""

    total = mm.state.sum(int)

    def rows(self, indices):
        """A power of 3 for each sample: no repeated sample can stand for another."""
        return {"total": 3 ** np.asarray(indices, dtype=np.int64)}

    def compute_metric(self, results):
        """The sum."""
        return {"total": results.total}


def outcome(accelerator, dispatch, samples, batch, with_ids):
    """Whether the sum is right, or the error."""
    accelerator.dataloader_config.dispatch_batches = dispatch
    loader = torch.utils.data.DataLoader(
        mm.Indexed(torch.arange(samples)), batch_size=batch, shuffle=True
    )
    metric = Sum()
    for ids, values in accelerator.prepare(loader):
        metric.add(values, ids=ids if with_ids else None)
    try:
        found = metric.compute(size=samples)["total"]
    except (ValueError, mm.RemoteError) as error:
        return "mm.Indexed(dataset)" if "mm.Indexed(dataset)" in str(error) else str(error)
    return found == sum(3**index for index in range(samples))


def main():
    """Try all sizes, batches and ways to deal them."""
    accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration())
    found = {
        f"{dispatch} {with_ids}": [
            outcome(accelerator, dispatch, samples, batch, with_ids)
            for samples in SIZES
            for batch in (1, 4)
        ]
        for dispatch in (False, True)
        for with_ids in (False, True)
    }
    print(json.dumps(found))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
